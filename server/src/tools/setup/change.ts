import { isDeepStrictEqual } from 'node:util'
import type { PolicyVersion } from '../../shared/decision.ts'

export interface Change {
  readonly done: 'created' | 'updated' | 'published' | 'issued' | 'revoked' | 'disabled' | 'deleted' | 'failed' | 'unchanged'
  readonly object:
    | 'workspace'
    | 'application'
    | 'user'
    | 'provider'
    | 'policy_set'
    | 'key'
    | 'admin_token'
    | 'access_token'
    | 'collection'
    | 'budget'
    | 'team'
    | 'document'
    | 'memory'
    | 'group'
    | 'operator'
    | 'operator_invitation'
  readonly id: string
  readonly name: string
  /** Names of the changed fields in the admin API, without values. */
  readonly fields: readonly string[]
  /** The Workspaces whose audit logs record a change of the server. Default: the oldest. */
  readonly workspaceIds?: readonly string[]
  readonly replaced?: string
  /** The code of the failure of a file. */
  readonly failure?: string
  /** How the unchanged object differs from its declaration: names without values. */
  readonly drift?: string
  /** The published version of a policy set. */
  readonly published?: PolicyVersion
  /** Id of its audit record, if the changed object refers to it. */
  readonly auditId?: string
}

type Named = Pick<Change, 'id' | 'name'>

export const changeOf = (
  object: Change['object'],
  done: Change['done'],
  { id, name }: Named,
  fields: readonly string[] = [],
): Change => ({ done, object, id, name, fields })

export function describeChange({ done, object, name, fields, replaced }: Change): string {
  const summary = `${done} ${object.replaceAll('_', ' ')} ${name}`
  if (replaced !== undefined) return `${summary} in place of ${replaced}`
  return done === 'updated' && fields.length > 0 ? `${summary} (${fields.join(', ')})` : summary
}

/** `application support differs from its declaration (limits)`. Returns undefined if there is no drift. */
export const describeDrift = ({ object, name, drift }: Change): string | undefined =>
  drift === undefined ? undefined : `${object.replaceAll('_', ' ')} ${name} ${drift}`

/** The state of the database does not allow a declaration. `param` is a path relative to the applied item. */
export class DeclarationConflict extends Error {
  readonly param: string

  constructor(param: string, message: string) {
    super(message)
    this.param = param
  }
}

export async function locateConflicts<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof DeclarationConflict)) throw error
    throw new DeclarationConflict(error.param ? `${path}.${error.param}` : path, error.message)
  }
}

export async function applyEach<T>(
  path: string,
  items: readonly T[],
  apply: (item: T) => Promise<readonly Change[]>,
): Promise<Change[]> {
  const changes: Change[] = []
  for (const [index, item] of items.entries()) changes.push(...(await locateConflicts(`${path}[${index}]`, () => apply(item))))
  return changes
}

export const findDifferences = (before: object, after: object): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isDeepStrictEqual(before[name as keyof object], after[name as keyof object]),
  )

interface Applier<Known> {
  readonly create: () => Promise<Named | undefined>
  readonly compare: (known: Known) => readonly string[]
  readonly update: (known: Known) => Promise<{ readonly ok: boolean; readonly reason?: string }>
}

export async function createOrUpdate<Known extends Named>(
  object: 'workspace' | 'application' | 'collection' | 'budget' | 'team',
  known: Known | undefined,
  { create, compare, update }: Applier<Known>,
): Promise<Change[]> {
  if (!known) {
    const created = await create()
    if (created) return [changeOf(object, 'created', created)]
    const noun = { workspace: 'Workspace', application: 'Application' }[object as string] ?? object
    throw new DeclarationConflict('name', `was taken by another ${noun} in the meantime; apply again`)
  }
  const fields = compare(known)
  if (fields.length === 0) return [changeOf(object, 'unchanged', known)]
  const updated = await update(known)
  if (!updated.ok) throw new DeclarationConflict('name', `cannot be updated: ${updated.reason}`)
  return [changeOf(object, 'updated', known, fields)]
}
