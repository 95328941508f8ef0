import type { FastifyRequest } from 'fastify'
import type { Static, TObject, TProperties, TSchema } from 'typebox'
import type { Db, Tx } from '../../../platform/db/database.ts'
import type { Page, PageRequest } from '../../../platform/db/page.ts'
import type { Scope } from '../../../shared/scope.ts'
import type { Errors, QueryOf } from '../../kit/route.ts'
import type { Change } from './change.ts'

/** A request of an operation. `params` is empty in a path without `:id`. */
export type Asked<B = unknown, Q = unknown> = FastifyRequest<{ Params: { id: string }; Body: B; Querystring: Q }>

type Area = Scope extends infer S ? (S extends `${infer A}:write` ? A : never) : never

export interface Texts {
  /** Default: the verb and the noun, `createBudget`. */
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly errors?: Errors
}

export interface List<Row, Q extends TProperties> extends Texts {
  /** Path of the objects of an owner: `/applications/:id/keys`. Default: the noun's path. */
  readonly path?: `/${string}`
  readonly query?: Q
  /** Undefined if the list does not have the cursor. */
  readonly read: (
    db: Db,
    workspaceId: string,
    page: PageRequest,
    request: Asked<unknown, QueryOf<Q>>,
  ) => Promise<Page<Row> | undefined>
}

export interface Get<Row> extends Texts {
  readonly find: (db: Db, workspaceId: string, id: string) => Promise<Row | undefined>
}

/** The object of the response, and the id of the object that the audit record names. */
export interface Made<Row> extends Pick<Change<Row>, 'caused'> {
  readonly made: Row
  readonly id: string
}

/** Undefined: 404, or 409 for a new object whose unique field is taken. `reason`: `not_found`, or the taken field (`name_taken`). */
export type Outcome<Row> = Row | Made<Row> | { readonly ok: false; readonly reason: string } | undefined

export interface Write<Row, B extends TSchema> extends Texts {
  readonly body?: B
  /** The part of the request that runs in its transaction. Throws to refuse. */
  readonly write?: (tx: Tx, request: Asked<Static<B>>, now: Date) => Promise<Outcome<Row>>
  /** In place of `write`, for long work before the transaction: returns what the transaction does. */
  readonly prepare?: (request: Asked<Static<B>>) => Promise<(tx: Tx, now: Date) => Promise<Outcome<Row>>>
  /** Recorded fields. Default: those that the body sets. */
  readonly fields?: readonly string[]
  /** Fields of the response in addition to the noun's view: a secret. */
  readonly extra?: { readonly view: TSchema; readonly fields: (row: Row) => object }
  readonly preValidation?: (request: FastifyRequest) => Promise<void>
}

export interface Create<Row, B extends TSchema> extends Write<Row, B> {
  /** `issue`. Default: `create`. */
  readonly verb?: string
  readonly path?: `/${string}`
}

export interface Remove extends Texts {
  readonly remove: (tx: Tx, workspaceId: string, id: string, now: Date) => Promise<boolean>
  readonly first?: (request: Asked) => (tx: Tx) => Promise<unknown>
}

export interface Update<Row, B extends TSchema> extends Write<Row, B> {
  /** Default: PATCH. */
  readonly method?: 'PUT'
}

export interface Action<Row, B extends TSchema> extends Write<Row, B> {
  /** As in the path. In the audit record with `_`. */
  readonly verb: string
}

export interface Described<Row> {
  readonly noun: string
  readonly name?: string
  readonly path: `/${string}`
  /** Reading needs the scope `AREA:read`, and changes `AREA:write`. */
  readonly area: Area
  readonly view: TObject
  /** The rows as the view has them. A row that was deleted since is left out. */
  readonly show: (rows: readonly Row[], request: Asked) => readonly object[] | Promise<readonly object[]>
  /** Unique fields with their labels: `{ name: 'Budget name' }`. */
  readonly taken?: Readonly<Record<string, string>>
  /** The id in audit records. Default: that of the object. */
  readonly recordedId?: (row: Row) => Change<Row>['id']
  readonly announce?: (id: string, workspaceId: string) => readonly [topic: string, key: string]
  readonly changed?: () => void
}

export interface Noun<Row, New extends Row, Q extends TProperties, C extends TSchema, U extends TSchema> extends Described<Row> {
  readonly list?: List<Row, Q>
  readonly get?: Get<Row>
  readonly create?: Create<New, C>
  readonly update?: Update<Row, U>
  readonly remove?: Remove
}
