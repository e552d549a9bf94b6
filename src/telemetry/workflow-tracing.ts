import '@temporalio/interceptors-opentelemetry/lib/workflow/runtime.js'; // first: OpenTelemetry looks at its globals
import { type Context, context, type Span, SpanStatusCode, trace } from '@opentelemetry/api';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import {
  extractContextFromHeaders,
  headersWithContext,
} from '@temporalio/interceptors-opentelemetry/lib/instrumentation.js';
import { ContextManager } from '@temporalio/interceptors-opentelemetry/lib/workflow/context-manager.js';
import { SpanExporter } from '@temporalio/interceptors-opentelemetry/lib/workflow/span-exporter.js';
import {
  ContinueAsNew,
  type Headers,
  type WorkflowInterceptors,
  workflowInfo,
} from '@temporalio/workflow';
import { traceIds } from './trace-ids.js';

/**
 * The workflow's side of tracing. It ends its spans beside the promises that it measures and draws nothing of the
 * workflow's chance: a run goes the same way with it and without, so that tracing may be switched at any time. The
 * interceptors of the SDK's package await in between, which older histories don't replay.
 */
export function interceptors(): WorkflowInterceptors {
  const { workflowType, runId } = workflowInfo();
  const provider = new BasicTracerProvider({ idGenerator: traceIds(runId) });
  provider.addSpanProcessor(new SimpleSpanProcessor(new SpanExporter()));
  const contextManager = new ContextManager();
  provider.register({ contextManager });
  const tracer = provider.getTracer('holdfast');

  // Handlers of messages run beside the workflow's function, outside its span.
  let whole: Context | undefined;
  const around = (): Context => {
    const active = context.active();
    return trace.getSpan(active) === undefined ? (whole ?? active) : active;
  };
  const within = <T>(name: string, parent: Context, work: () => Promise<T>): Promise<T> => {
    const span = tracer.startSpan(name, {}, parent);
    const working = context.with(trace.setSpan(parent, span), work);
    working.then(
      () => finish(span),
      (error: unknown) => finish(span, error),
    );
    return working;
  };
  const sent = <I extends { readonly headers: Headers }, T>(
    name: string,
    input: I,
    next: (input: I) => Promise<T>,
  ): Promise<T> =>
    within(name, around(), () => next({ ...input, headers: headersWithContext(input.headers) }));
  return {
    inbound: [
      {
        execute: (input, next) => {
          const parent = extractContextFromHeaders(input.headers) ?? context.active();
          return within(`RunWorkflow:${workflowType}`, parent, () => {
            whole = context.active();
            return next(input);
          });
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => sent(`StartActivity:${input.activityType}`, input, next),
        scheduleLocalActivity: (input, next) =>
          sent(`StartActivity:${input.activityType}`, input, next),
        startChildWorkflowExecution: (input, next) =>
          sent(`StartChildWorkflow:${input.workflowType}`, input, next),
        continueAsNew: (input, next) =>
          sent(`ContinueAsNew:${input.options.workflowType ?? workflowType}`, input, next),
      },
    ],
    internals: [
      {
        dispose: (input, next) => {
          contextManager.disable();
          next(input);
        },
      },
    ],
  };
}

function finish(span: Span, error?: unknown): void {
  const isFailed = error !== undefined && !(error instanceof ContinueAsNew);
  if (isFailed) span.recordException(error instanceof Error ? error : String(error));
  span.setStatus({ code: isFailed ? SpanStatusCode.ERROR : SpanStatusCode.OK });
  span.end();
}
