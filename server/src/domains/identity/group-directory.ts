import type { Db } from '../../platform/db/database.ts'
import type { Signal } from '../../platform/db/signal.ts'
import { Cache } from '../../platform/lib/cache.ts'
import { andThen, type MaybePromise } from '../../platform/lib/maybe-promise.ts'
import type { User } from '../../shared/principal.ts'
import { findGroupIds, hasGroups } from './group-store.ts'

/** Announced with the id of the Workspace. */
export const GROUPS_TOPIC = 'groups'

/** For a caller without stored groups, such as a declaration, whose author is anonymous. */
export const NO_GROUPS: Pick<GroupDirectory, 'withGroups'> = { withGroups: (_, user) => user }

/** Finds the groups of users. A change reaches every node within a second, as that of a key does. */
export class GroupDirectory {
  /** Most Workspaces have no groups; their requests read nothing. */
  readonly #isUsed: Cache<boolean>
  readonly #groups: Cache<readonly string[]>

  constructor({ db, signal, loadMs }: { readonly db: Db; readonly signal: Signal; readonly loadMs?: number }) {
    this.#isUsed = new Cache((workspaceId) => hasGroups(db, workspaceId), { loadMs, renews: true })
    this.#groups = new Cache(
      (key) => {
        const [workspaceId, id, groups] = JSON.parse(key) as [string, string, readonly string[]]
        return findGroupIds(db, workspaceId, { id, groups })
      },
      { loadMs, renews: true },
    )
    signal.subscribe(GROUPS_TOPIC, (workspaceId) => {
      this.#isUsed.forget(workspaceId)
      this.#groups.forget()
    })
  }

  /** The user with all groups, also those that contain groups of the user. */
  withGroups(workspaceId: string, user: User): MaybePromise<User> {
    const { id, groups: stated = [] } = user
    if (id === '' && stated.length === 0) return user
    return andThen(this.#isUsed.get(workspaceId), (isUsed): MaybePromise<User> => {
      if (!isUsed) return user
      return andThen(this.#groups.get(JSON.stringify([workspaceId, id, stated])), (groups) => ({ ...user, groups }))
    })
  }
}
