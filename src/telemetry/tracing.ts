import { AsyncLocalStorage } from 'node:async_hooks';
import { fileURLToPath } from 'node:url';
import {
  type Context,
  type ContextManager,
  context as contexts,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { type IResource, Resource } from '@opentelemetry/resources';
import { BasicTracerProvider, type SpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Context as ActivityContext } from '@temporalio/activity';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import {
  makeWorkflowExporter,
  OpenTelemetryActivityInboundInterceptor,
  OpenTelemetryActivityOutboundInterceptor,
  OpenTelemetryWorkflowClientInterceptor,
} from '@temporalio/interceptors-opentelemetry';
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import type { Sinks } from '@temporalio/workflow';

/** Where spans go, in the types of OpenTelemetry's packages 1.x, as the SDK's package takes them. */
export type TracingOptions = {
  readonly spanProcessor: SpanProcessor;
  /** What the process is called. @default service.name is holdfast */
  readonly resource?: IResource;
};

/** What the plugin hangs into client, worker and bundle to trace: `holdfast({ tracing })`. */
export type Tracing = {
  readonly client: WorkflowClientInterceptor;
  readonly activity: ActivityInterceptorsFactory;
  readonly workflowModule: string;
  readonly sinks: InjectedSinks<Sinks>;
  /** Puts attributes on the span of an attempt. */
  readonly annotate: (
    context: ActivityContext,
    attributes: Readonly<Record<string, string | number>>,
  ) => void;
};

/**
 * Makes the tracing of a process: a start by the client, the run, each call and each attempt are spans of one trace.
 * OpenTelemetry's context and propagation of the process are set where nobody has set them.
 */
export function createTracing({
  spanProcessor,
  resource = new Resource({ 'service.name': 'holdfast' }),
}: TracingOptions): Tracing {
  contexts.setGlobalContextManager(contextManager()); // false, and nothing done, where there is one
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const provider = new BasicTracerProvider({ resource, spanProcessors: [spanProcessor] });
  const tracer = provider.getTracer('holdfast');
  const spans = new WeakMap<ActivityContext, Span>();
  return {
    client: new OpenTelemetryWorkflowClientInterceptor({ tracer }),
    activity: (context) => ({
      inbound: new OpenTelemetryActivityInboundInterceptor(context, {
        tracer: heard(tracer, (span) => spans.set(context, span)),
      }),
      outbound: new OpenTelemetryActivityOutboundInterceptor(context),
    }),
    workflowModule: fileURLToPath(new URL('./workflow-tracing.js', import.meta.url)),
    sinks: { exporter: makeWorkflowExporter(spanProcessor, resource) },
    annotate: (context, attributes) => {
      spans.get(context)?.setAttributes(attributes);
    },
  };
}

/** A tracer whose active spans somebody hears of. */
function heard(tracer: Tracer, onSpan: (span: Span) => void): Tracer {
  const startActiveSpan = (name: string, work: (span: Span) => unknown): unknown =>
    tracer.startActiveSpan(name, (span) => {
      onSpan(span);
      return work(span);
    });
  // The interceptor calls it in this one of its forms.
  return { startSpan: tracer.startSpan.bind(tracer), startActiveSpan } as Tracer;
}

/** Carries the active span through whatever a process awaits. */
function contextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...args) => storage.run(active, () => work.apply(self, args)),
    bind: (active, target) =>
      // a bound function is called as its original is
      typeof target === 'function'
        ? (((...args: unknown[]) => storage.run(active, () => target(...args))) as typeof target)
        : target,
    enable: () => manager,
    disable: () => {
      storage.disable();
      return manager;
    },
  };
  return manager;
}
