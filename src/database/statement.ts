import { type Compilable, type RawBuilder, sql } from 'kysely';
import type { Database } from './database.js';

/** What a run of a statement is given. */
export type StatementValues = Readonly<Record<string, string | number | null>>;

/** What a run of a statement did. */
export type StatementEnd<Row> = {
  readonly rows: readonly Row[];
  /** Rows that were written. */
  readonly changes: number;
};

/** Returns the SQL of a place for the value of that name. */
export type PlaceOf<Values extends StatementValues> = <Name extends keyof Values & string>(
  name: Name,
) => RawBuilder<Values[Name]>;

/** Stands in a statement where each run has a value of its own. */
class Place {
  constructor(readonly name: string) {}
}

/**
 * Returns a statement that only takes its values at each run: Kysely takes longer to build and compile
 * one than a database takes to run it.
 */
export function prepareStatement<Values extends StatementValues, Row>(
  store: Pick<Database<unknown>, 'prepare'>,
  build: (place: PlaceOf<Values>) => Compilable<Row>,
): (values: Values) => Promise<StatementEnd<Row>> {
  const { sql: text, parameters } = build((name) => sql`${new Place(name)}`).compile();
  const run = store.prepare(text);
  return async (values) => {
    const end = await run(
      parameters.map((value) => (value instanceof Place ? values[value.name] : value)),
    );
    return end as StatementEnd<Row>; // Kysely has derived the row from the columns that it asks for
  };
}
