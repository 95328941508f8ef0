/** A change to one object by a declaration or a command. */
export interface Change {
  readonly done: 'created' | 'updated' | 'published' | 'issued' | 'revoked' | 'disabled' | 'deleted' | 'unchanged'
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
    | 'document'
    | 'memory'
    | 'group'
    | 'operator'
    | 'operator_invitation'
  /** The id in audit records. */
  readonly id: string
  /** The name in messages to operators. */
  readonly name: string
  /** Names of the changed fields in the admin API, without values. */
  readonly fields: readonly string[]
  /** The Workspaces whose audit logs record a change of the server. Default: the oldest. */
  readonly workspaceIds?: readonly string[]
  /** The policy set that it replaced, if an operator had published that one. */
  readonly replaced?: string
  /** How the unchanged object differs from its declaration: names without values. */
  readonly drift?: string
  /** Id of its audit record, if the changed object refers to it. */
  readonly auditId?: string
}

/** `fields`: names of the changed fields. */
export const changeOf = (
  object: Change['object'],
  done: Change['done'],
  { id, name }: { readonly id: string; readonly name: string },
  fields: readonly string[] = [],
): Change => ({ done, object, id, name, fields })

/** `updated provider openai (timeout_ms, weight)` */
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

  within(path: string): DeclarationConflict {
    return new DeclarationConflict(this.param ? `${path}.${this.param}` : path, this.message)
  }
}

/** Runs `work` and puts `path` before the path of a conflict in it. */
export async function locateConflicts<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof DeclarationConflict ? error.within(path) : error
  }
}

/** Applies the items of a list one after another. */
export async function applyEach<T>(
  path: string,
  items: readonly T[],
  apply: (item: T) => Promise<readonly Change[]>,
): Promise<Change[]> {
  const changes: Change[] = []
  for (const [index, item] of items.entries()) changes.push(...(await locateConflicts(`${path}[${index}]`, () => apply(item))))
  return changes
}
