/** How a question to a person ended: an answer, the value that stands in for one, or nothing in time. */
export type Asked<Value> = { readonly questionId: string } & (
  | {
      readonly kind: 'ok';
      readonly value: Value;
      /** Who answered, as that person says. */
      readonly by: string;
      readonly note?: string;
    }
  | { readonly kind: 'degraded'; readonly value: Value; readonly reason: 'deadline' }
  | { readonly kind: 'denied'; readonly reason: 'deadline' }
);
