/** What is evaluated when a module is loaded: the graph without imports of types. */
import edges from './.dependency-cruiser.mjs';

const gate = '^src/(adoption|workflows/(gate|interceptor|adoption|[^/]*-interceptor)[^/]*)[.]ts$';

export default {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'gate-loads-no-zod',
      comment: 'the sandbox evaluates modules for each run: zod costs 10 ms of CPU a workflow',
      severity: 'error',
      from: { path: gate },
      to: { path: 'node_modules/zod/', reachable: true },
    },
  ],
  options: { ...edges.options, tsPreCompilationDeps: false },
};
