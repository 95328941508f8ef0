import { type Static, Type } from 'typebox'

/**
 * An export is a gzip of JSON lines. An object begins a part: the header, a table, a file, the end. An array is a row of the table, with
 * each value in PostgreSQL's text form. A string is a part of the file in base64. The end has the hash of all lines before it.
 */
export const FORMAT = 'gatehouse-export'
/** A backup of the embedded database has its files instead of tables. */
export const BACKUP_FORMAT = 'gatehouse-backup'
export const FORMAT_VERSION = 1

export type Value = string | null

export const Header = Type.Object({
  format: Type.Union([Type.Literal(FORMAT), Type.Literal(BACKUP_FORMAT)]),
  version: Type.Literal(FORMAT_VERSION),
  gatehouse: Type.String(),
  created_at: Type.String(),
  migrations: Type.Array(Type.String()),
  secret_key: Type.String(),
})
export type Header = Static<typeof Header>

/** Form of a key in the file store (file-removal.ts). Anything else could leave the folder. */
export const PLACE = /^[0-9a-f]{2}\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A file of the embedded database. A folder ends with a slash. */
export const DATABASE_FILE = /^postgres(?:\/\w[\w.-]*)+\/?$/

export const FilePart = Type.Object({ file: Type.String({ pattern: `${PLACE.source}|${DATABASE_FILE.source}` }) })
export const TablePart = Type.Object({ table: Type.String(), columns: Type.Array(Type.String()) })
const Count = Type.Integer({ minimum: 0 })
export const End = Type.Object({
  end: Type.Object({
    tables: Type.Record(Type.String(), Count),
    files: Count,
    /** SHA-256 of all lines before this one. */
    sha256: Type.String(),
  }),
})

/** The parts of an export, in the order of the file. */
export type Part =
  | { readonly kind: 'header'; readonly header: Header }
  | { readonly kind: 'table'; readonly table: string; readonly columns: readonly string[] }
  | { readonly kind: 'row'; readonly row: readonly Value[] }
  | { readonly kind: 'file'; readonly place: string }
  | { readonly kind: 'chunk'; readonly bytes: Buffer }
