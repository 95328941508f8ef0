import type { Db } from '../../../platform/db/database.ts'
import { accessOf, scopesIn } from '../../../shared/access.ts'
import { type Delegates, findDelegates, representativeOf } from '../../operators/absence-store.ts'
import type { Person } from '../../operators/operator.ts'
import { findPerson } from '../../operators/operator-store.ts'
import { type NotificationTopic, SCOPE_OF } from '../topic.ts'

/** Whether the operator may get events of this topic from the Workspace now. */
export const mayReceive = ({ roles, state }: Person, topic: NotificationTopic, workspaceId: string): boolean =>
  state !== 'suspended' && scopesIn(accessOf(roles), workspaceId).includes(SCOPE_OF[topic])

/** Finds operators once for a batch of events. */
export class Recipients {
  readonly #db: Db
  readonly #now: Date
  readonly #people = new Map<string, Promise<Person | undefined>>()
  #delegates: Promise<Delegates> | undefined

  constructor(db: Db, now: Date) {
    this.#db = db
    this.#now = now
  }

  /**
   * The operator who gets an event for `operatorId`: the operator, or the delegate of an absence. A delegate without the role in this
   * Workspace is passed over. Undefined: neither may get it.
   */
  async find(operatorId: string, topic: NotificationTopic, workspaceId: string): Promise<string | undefined> {
    const may = async (id: string): Promise<boolean> => {
      const person = await this.#person(id)
      return person !== undefined && mayReceive(person, topic, workspaceId)
    }
    if (!(await may(operatorId))) return undefined
    this.#delegates ??= findDelegates(this.#db, this.#now)
    const allowed = new Map<string, string>()
    for (const [absent, delegate] of await this.#delegates) if (await may(delegate)) allowed.set(absent, delegate)
    return representativeOf(operatorId, allowed)
  }

  #person(id: string): Promise<Person | undefined> {
    const known = this.#people.get(id) ?? findPerson(this.#db, id)
    this.#people.set(id, known)
    return known
  }
}
