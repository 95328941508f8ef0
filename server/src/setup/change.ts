/** What applying a declaration did to one thing. */
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
    | 'document'
    | 'memory'
    | 'group'
    | 'operator'
    | 'operator_invitation'
  /** As records name it. */
  readonly id: string
  /** As people name it. */
  readonly name: string
  /** What of it has changed, by the names of the admin API; never a value. */
  readonly fields: readonly string[]
  /** What it took the place of, where somebody else had put that there. */
  readonly replaced?: string
  /** Nothing was done, although it is not what is declared: how it differs. Names, never a value. */
  readonly drift?: string
  /** Of its record, where what was written names it. */
  readonly auditId?: string
}

/** `updated provider openai (timeout_ms, weight)` */
export function describeChange({ done, object, name, fields, replaced }: Change): string {
  const what = `${done} ${object.replaceAll('_', ' ')} ${name}`
  if (replaced !== undefined) return `${what} in place of ${replaced}`
  return done === 'updated' && fields.length > 0 ? `${what} (${fields.join(', ')})` : what
}

/** `application support differs from what is declared (limits)`; undefined when it does not differ. */
export const describeDrift = ({ object, name, drift }: Change): string | undefined =>
  drift === undefined ? undefined : `${object.replaceAll('_', ' ')} ${name} ${drift}`

/** A declaration that cannot be met as the database stands; `param` is relative to what was being applied. */
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

/** What `work` answers; a conflict in it tells that it was at `path`. */
export async function within<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof DeclarationConflict ? error.within(path) : error
  }
}

/** Applies each of a list in turn. */
export async function applyEach<T>(
  path: string,
  items: readonly T[],
  apply: (item: T) => Promise<readonly Change[]>,
): Promise<Change[]> {
  const changes: Change[] = []
  for (const [index, item] of items.entries()) changes.push(...(await within(`${path}[${index}]`, () => apply(item))))
  return changes
}
