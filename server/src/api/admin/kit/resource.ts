import type { FastifyReply } from 'fastify'
import type { Static, TProperties, TSchema } from 'typebox'
import type { GatehouseError } from '../../../errors.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { notFound, requireFound, taken } from '../../../shared/request-errors.ts'
import * as paging from '../../kit/paging.ts'
import { type Errors, handle, type QueryOf, type RouteDocs, type Target, type TypedApp } from '../../kit/route.ts'
import { type Change, type ChangeDeps, change, changedFields } from './change.ts'
import type { Action, Asked, Create, Described, Get, List, Made, Noun, Outcome, Remove, Texts, Update, Write } from './noun.ts'
import { inWorkspace } from './operation.ts'

interface Identified {
  readonly id: string
}

interface Kit<Row> {
  readonly app: TypedApp
  readonly deps: ChangeDeps
  readonly described: Described<Row>
  readonly name: string
  readonly unknown: { readonly 404: string }
}

/** Registers the operations of a noun. Returns a function that registers a further change of one object: `POST /keys/:id/revoke`. */
export function resource<
  Row extends Identified,
  New extends Row = Row,
  Q extends TProperties = Record<never, never>,
  C extends TSchema = TSchema,
  U extends TSchema = TSchema,
>(app: TypedApp, deps: ChangeDeps, described: Noun<Row, New, Q, C, U>) {
  const { noun, name = noun.replaceAll('_', ' '), list, get, create, update, remove } = described
  const unknown = { 404: `NOT_FOUND: the ${name}, or the Workspace` }
  const kit: Kit<Row> = { app, deps, described, name, unknown }
  if (list) addList(kit, list)
  if (get) addGet(kit, get)
  if (create) addCreate(kit, create)
  if (update) addUpdate(kit, update)
  if (remove) addRemove(kit, remove)
  return <R extends Row, B extends TSchema = TSchema>(action: Action<R, B>): void => addAction(kit, action)
}

function addList<Row extends Identified, Q extends TProperties>(kit: Kit<Row>, list: List<Row, Q>): void {
  const { noun, path, view, show } = kit.described
  const texts = { operationId: `list${pascal(noun)}s`, summary: `List ${kit.name}s, oldest first`, ...list }
  const query = { ...paging.PAGE, ...list.query }
  const docs = { query, answers: { 200: paging.List(view) }, ...(list.errors && { errors: list.errors }) }
  register(kit, `GET ${list.path ?? path}`, 'list', texts, docs, async (request) => {
    const page = paging.pageOf(request.query as QueryOf<typeof paging.PAGE>)
    const rows = await list.read(kit.deps.db, request.workspaceId, page, request as Asked<unknown, QueryOf<Q>>)
    if (!rows) throw paging.invalidCursor()
    const end = rows.hasMore ? rows.data.at(-1)?.id : undefined
    return paging.listUntil({ ...rows, data: await show(rows.data, request) }, (view) => view, end)
  })
}

function addGet<Row extends Identified>(kit: Kit<Row>, get: Get<Row>): void {
  const docs = { answers: { 200: kit.described.view }, errors: kit.unknown }
  register(kit, `GET ${kit.described.path}/:id`, 'get', get, docs, async (request) =>
    viewOfOne(kit, await get.find(kit.deps.db, request.workspaceId, request.params.id), request),
  )
}

function addCreate<Row extends Identified, New extends Row, B extends TSchema>(kit: Kit<Row>, create: Create<New, B>): void {
  const { path, taken: unique = {} } = kit.described
  const [field, label] = Object.entries(unique)[0] ?? []
  const refusal = () => (field === undefined || label === undefined ? notFound(kit.name) : taken(field, label))
  const target = `POST ${create.path ?? path}`
  addWrite(kit, create, { target, verb: create.verb ?? 'create', status: 201, errors: conflictOf(unique, create), refusal })
}

function addUpdate<Row extends Identified, B extends TSchema>(kit: Kit<Row>, update: Update<Row, B>): void {
  const { path, taken: unique = {} } = kit.described
  const target = `${update.method ?? 'PATCH'} ${path}/:id`
  const errors = { ...kit.unknown, ...conflictOf(unique, update) }
  const summary = `Change ${withArticle(kit.name)}`
  addWrite(kit, { summary, ...update }, { target, verb: 'update', status: 200, errors })
}

function addRemove<Row extends Identified>(kit: Kit<Row>, { remove, first, ...texts }: Remove): void {
  const { noun, path, changed } = kit.described
  const docs = { answers: { 204: null }, errors: kit.unknown }
  register(kit, `DELETE ${path}/:id`, 'delete', texts, docs, async (request, reply) => {
    const { workspaceId, params } = request
    const work = async (tx: Tx, now: Date) => {
      if (!(await remove(tx, workspaceId, params.id, now))) throw notFound(kit.name)
      return { value: undefined, action: `${noun}.delete` as const, id: params.id, ...signalOf(kit, params.id, workspaceId) }
    }
    await change(kit.deps, request, work, first?.(request))
    changed?.()
    return reply.status(204).send()
  })
}

function addAction<Row extends Identified, R extends Row, B extends TSchema>(kit: Kit<Row>, action: Action<R, B>): void {
  const { verb, extra } = action
  const target = `POST ${kit.described.path}/:id/${verb}`
  addWrite(kit, action, { target, verb, status: extra ? 201 : 200, errors: kit.unknown })
}

interface Writing {
  readonly target: string
  readonly verb: string
  readonly status: number
  readonly errors: Errors
  readonly refusal?: () => GatehouseError
}

function addWrite<Row extends Identified, R extends Row, B extends TSchema>(
  kit: Kit<Row>,
  write: Write<R, B>,
  { target, verb, status, errors, refusal }: Writing,
): void {
  const { body, extra } = write
  const docs = { ...(body && { body }), answers: { [status]: extra?.view ?? kit.described.view }, errors }
  register(kit, target, verb, write, docs, async (request, reply) => {
    const row = await perform(kit, verb.replaceAll('-', '_'), write, request, refusal)
    return reply.status(status).send({ ...(await viewOfOne(kit, row, request)), ...extra?.fields(row) })
  })
}

function register<Row>(
  { app, described: { area, noun }, name }: Kit<Row>,
  target: string,
  verb: string,
  texts: Texts & Pick<Write<Row, TSchema>, 'preValidation'>,
  docs: Pick<RouteDocs, 'answers'> & Partial<Pick<RouteDocs, 'body' | 'query' | 'errors'>>,
  handler: (request: Asked, reply: FastifyReply) => Promise<unknown>,
): void {
  const operationId = texts.operationId ?? camel(verb) + pascal(noun)
  const summary = texts.summary ?? `${capitalized(verb)} ${withArticle(name)}`
  const documented = inWorkspace(target as Target, operationId, summary, {
    ...docs,
    scope: `${area}:${target.startsWith('GET ') ? 'read' : 'write'}`,
    ...(texts.description !== undefined && { description: texts.description }),
    errors: { ...docs.errors, ...texts.errors },
  })
  const options = texts.preValidation && { preValidation: texts.preValidation }
  handle(app, { ...documented, ...options }, (request, reply) =>
    handler(request as unknown as Asked, reply as unknown as FastifyReply),
  )
}

/** Makes a change and returns the object. `refusal`: the error if the store has no object. */
async function perform<Row extends Identified, R extends Row, B extends TSchema>(
  kit: Kit<Row>,
  verb: string,
  { body, fields, write, prepare }: Write<R, B>,
  asked: Asked,
  refusal = () => notFound(kit.name),
): Promise<R> {
  const { noun, recordedId, changed } = kit.described
  const request = asked as Asked<Static<B>>
  const work = (await prepare?.(request)) ?? (async (tx: Tx, now: Date) => write?.(tx, request, now))
  const row = await change<R>(kit.deps, request, async (tx, now) => {
    const { made: value, id, caused = [] } = settled(kit, await work(tx, now), refusal)
    return {
      ...{ value, action: `${noun}.${verb}` as const, id: recordedId?.(value) ?? id, caused },
      fields: fields ?? (body ? changedFields(body, request.body as object) : []),
      ...signalOf(kit, id, request.workspaceId),
    }
  })
  changed?.()
  return row
}

function settled<Row extends Identified, R extends Row>(kit: Kit<Row>, outcome: Outcome<R>, refusal: () => Error): Made<R> {
  if (outcome === undefined) throw refusal()
  if ('made' in outcome) return outcome
  if (!('reason' in outcome)) return { made: outcome, id: outcome.id }
  const param = outcome.reason.replace(/_taken$/, '')
  const label = kit.described.taken?.[param]
  throw label === undefined ? notFound(kit.name) : taken(param, label)
}

function signalOf<Row>({ described }: Kit<Row>, id: string, workspaceId: string): Pick<Change<unknown>, 'announce'> {
  const announce = described.announce?.(id, workspaceId)
  return announce ? { announce } : {}
}

/** Throws a 404 if the object does not exist, or no longer. */
async function viewOfOne<Row>({ described, name }: Kit<Row>, row: Row | undefined, request: Asked): Promise<object> {
  const [view] = await described.show([requireFound(row, name)], request)
  return requireFound(view, name)
}

function conflictOf(unique: Readonly<Record<string, string>>, { body }: { readonly body?: TSchema }): Errors {
  const { properties = {} } = (body ?? {}) as { readonly properties?: object }
  const fields = Object.keys(unique).filter((field) => Object.hasOwn(properties, field))
  return fields.length === 0 ? {} : { 409: `CONFLICT: ${fields.map((field) => `the ${field}`).join(' or ')} is taken` }
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
/** `policy_draft` as in ids of operations: `PolicyDraft`. */
const pascal = (words: string): string => words.split(/[_-]/).map(capitalized).join('')
const camel = (words: string): string => words.charAt(0) + pascal(words).slice(1)
const withArticle = (name: string): string => `${/^[aeio]/i.test(name) ? 'an' : 'a'} ${name}`
