/**
 * All tables. Each domain adds its own in its `tables.ts` (`declare module './schema.ts'`), next to the code that uses them. Ids are UUIDv7 in the tables and TypeIDs (`aud_…`) everywhere else; platform/lib/id.ts converts between the two.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the domains fill it
export interface Schema {}
