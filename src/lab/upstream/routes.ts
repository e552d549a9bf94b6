import type { RouteName } from './faults.js';

/** Where a request goes. */
export type Route =
  | { readonly kind: 'lookup'; readonly orderId: string }
  | { readonly kind: 'refunds' }
  | { readonly kind: 'emails' }
  | { readonly kind: 'chat' }
  | { readonly kind: 'stats' }
  | { readonly kind: 'requests' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'faults' }
  | { readonly kind: 'health' }
  | { readonly kind: 'unknown-path' }
  | { readonly kind: 'wrong-method'; readonly allowed: string };

/** A route that faults may strike. */
export type CallRoute = Extract<Route, { readonly kind: RouteName }>;

/** Routes with a fixed path. The last five tell and steer; faults never strike them. */
const fixedRoutes = {
  '/refunds': { method: 'POST', kind: 'refunds' },
  '/emails': { method: 'POST', kind: 'emails' },
  '/v1/chat/completions': { method: 'POST', kind: 'chat' },
  '/stats': { method: 'GET', kind: 'stats' },
  '/requests': { method: 'GET', kind: 'requests' },
  '/reset': { method: 'POST', kind: 'reset' },
  '/faults': { method: 'POST', kind: 'faults' },
  '/health': { method: 'GET', kind: 'health' },
} as const;

/** Returns the route of a request line; the query is not looked at. */
export function findRoute(method: string, target: string): Route {
  const path = target.split('?', 1)[0] ?? '';
  const orderId = /^\/orders\/([^/]+)$/u.exec(path)?.[1];
  if (orderId !== undefined) {
    return method === 'GET'
      ? { kind: 'lookup', orderId: decodePart(orderId) }
      : { kind: 'wrong-method', allowed: 'GET' };
  }
  if (!Object.hasOwn(fixedRoutes, path)) return { kind: 'unknown-path' };
  // hasOwn has just proved that the path is a key of the table.
  const route = fixedRoutes[path as keyof typeof fixedRoutes];
  if (route.method !== method) return { kind: 'wrong-method', allowed: route.method };
  return { kind: route.kind };
}

/** Decodes a part of a path; one that isn't well formed is taken as it stands. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // an id that no order has: the lookup answers 404
  }
}
