/** A tool as a request offers it. */
export type OfferedTool = {
  readonly name: string;
  /** Names of the fields that its JSON schema describes. */
  readonly fields: readonly string[];
};

/** Returns those facts that the tool has fields for, in the order of its fields. */
export function fillFields(
  { fields }: OfferedTool,
  facts: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const known = fields.filter((field) => facts[field] !== undefined);
  return Object.fromEntries(known.map((field) => [field, facts[field]]));
}
