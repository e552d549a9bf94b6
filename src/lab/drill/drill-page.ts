import type { Page } from '../../pages/page.js';
import type { DrillResult } from './drill-result.js';
export function drillPage(_: DrillResult): Page {
  throw new Error('x');
}
