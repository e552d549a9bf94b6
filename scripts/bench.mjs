import { runDriver } from './driver.mjs';

// its --help is the driver's own, which knows the options
await runDriver('dist/src/lab/bench/main.js');
