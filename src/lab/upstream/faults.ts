import { z } from 'zod';

/** The routes of the upstream that can be made to fail. */
export const routeNames = ['lookup', 'refunds', 'emails', 'chat'] as const;

/** One of {@link routeNames}. */
export type RouteName = (typeof routeNames)[number];

/**
 * How a model's turn goes wrong though it is answered: arguments that are no JSON, a tool that nobody offered,
 * arguments that the tool's schema refuses, the same call over and over.
 */
export const misbehaviours = [
  'broken-arguments',
  'unknown-tool',
  'wrong-arguments',
  'endless-calls',
] as const;

/** One of {@link misbehaviours}. */
export type Misbehaviour = (typeof misbehaviours)[number];

const rate = z.number().min(0).max(1);
const waitMs = z.int().min(0).max(3_600_000);
/** A hint may be longer than any wait of the lab's own: a week at most. */
const hintMs = z.int().min(0).max(604_800_000);

/** Which requests a fault may strike, and how many of them. */
const scope = {
  /** Share of the requests in [0, 1]. @default 1 */
  rate: rate.default(1),
  /** Only these attempts of a logical call, counted from 1. @default all */
  attempts: z.array(z.int().min(1)).min(1).readonly().optional(),
  /**
   * Only `calls` requests of the route, after the first `after` of them, counted
   * since the faults were set: a scripted outage. @default all
   */
  window: z.strictObject({ after: z.int().min(0).default(0), calls: z.int().min(1) }).optional(),
  /** Only for `forMs`, from `afterMs` after the faults were set: an outage by the clock. @default always */
  during: z.strictObject({ afterMs: waitMs.default(0), forMs: z.int().min(1) }).optional(),
};

/**
 * Before the effect nothing happened; after it the effect stands and only the answer is lost.
 * @default before-effect
 */
const at = z.enum(['before-effect', 'after-effect']).default('before-effect');

const hint = z.discriminatedUnion('form', [
  z.strictObject({ form: z.literal('none') }),
  z.strictObject({ form: z.literal('seconds'), waitMs: hintMs }),
  z.strictObject({ form: z.literal('http-date'), waitMs: hintMs }),
  z.strictObject({ form: z.literal('milliseconds'), waitMs: hintMs }),
]);

const faultSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('status'),
      ...scope,
      at,
      status: z.int().min(400).max(599),
      /** The `code` in the error's body. @default injected-fault */
      code: z.string().min(1).default('injected-fault'),
    }),
    z.strictObject({
      kind: z.literal('rate-limit'),
      ...scope,
      hint: hint.default({ form: 'none' }),
    }),
    z.strictObject({ kind: z.literal('drop'), ...scope, at }),
    z.strictObject({ kind: z.literal('reset'), ...scope, at }),
    z.strictObject({
      kind: z.literal('refuse'),
      ...scope,
      at,
      /** What the `{success: false}` says of another try; nothing where left out. */
      retryable: z.boolean().optional(),
    }),
    z.strictObject({ kind: z.literal('misbehave'), ...scope, how: z.enum(misbehaviours) }),
  ])
  .readonly();

const delaySchema = z
  .strictObject({
    ...scope,
    /** The least wait in milliseconds. */
    ms: waitMs,
    /** Added on top, uniform in [0, jitterMs]. @default 0 */
    jitterMs: waitMs.default(0),
    at,
  })
  .readonly();

const routeFaultsSchema = z
  .strictObject({
    delay: delaySchema.optional(),
    /** One draw a request walks this list; the rates add up. @default none */
    faults: z.array(faultSchema).readonly().default([]),
  })
  .superRefine((route, context) => {
    const always = route.faults.filter(
      (fault) => !fault.attempts && !fault.window && !fault.during,
    );
    const sum = always.reduce((total, fault) => total + fault.rate, 0);
    if (sum <= 1 + 1e-9) return;
    context.addIssue({
      code: 'custom',
      path: ['faults'],
      message: `rates of unscoped faults must add up to at most 1, got ${sum}`,
    });
  })
  .readonly();

/**
 * Faults for each route; a route's own entry replaces `every`. Durations are milliseconds,
 * rates are shares in [0, 1]. A `misbehave` does nothing but to turns of the chat that may call tools.
 */
export const faultPlanSchema = z
  .strictObject({
    every: routeFaultsSchema.optional(),
    lookup: routeFaultsSchema.optional(),
    refunds: routeFaultsSchema.optional(),
    emails: routeFaultsSchema.optional(),
    chat: routeFaultsSchema.optional(),
  })
  .readonly();

/** Faults as a caller writes them: defaults may be left out. */
export type FaultPlanInput = z.input<typeof faultPlanSchema>;
/** Faults after parsing, defaults filled in. */
export type FaultPlan = z.output<typeof faultPlanSchema>;
/** The faults of one route. */
export type RouteFaults = z.output<typeof routeFaultsSchema>;
/** One kind of fault with its share and scope. */
export type Fault = z.output<typeof faultSchema>;
/** A fault that ends a request, unlike one that spoils its answer. */
export type StrikingFault = Exclude<Fault, { readonly kind: 'misbehave' }>;
/** How a 429 says when to come back. */
export type RateLimitHint = z.output<typeof hint>;

const calm: RouteFaults = { faults: [] };

/** Returns the faults of a route: its own, else those for every route, else none. */
export function faultsOf(plan: FaultPlan, route: RouteName): RouteFaults {
  return plan[route] ?? plan.every ?? calm;
}
