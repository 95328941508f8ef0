import type { Kysely } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { policyInput, singleRuleDocument } from '../../../test/support/policies.ts'
import { seedWorkspace } from '../../../test/support/seed.ts'
import type { Schema } from '../../platform/db/schema.ts'
import { ActivePolicies } from './active-policies.ts'
import { evaluate } from './evaluate.ts'
import { policySha256 } from './policy.ts'
import { activatePolicySet, publishPolicySet } from './policy-store.ts'

describe.each(testDatabases())('ActivePolicies on $name', async ({ open }) => {
  let workspaceId: string
  let problems: Error[]

  const database = await closeAfterAll(open())
  beforeEach(async () => {
    problems = []
    workspaceId = (await seedWorkspace(database.db)).workspaceId
  })

  /** A database that fails while `state.unavailable` is set. */
  const failingDatabase = () => {
    const state = { unavailable: false }
    const db = new Proxy(database.db, {
      get(target, name) {
        if (state.unavailable) throw new Error('the database is unavailable')
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    }) as Kysely<Schema>
    return { state, db }
  }
  const createPolicies = (db = database.db, maxAgeMs = 60_000) =>
    new ActivePolicies(db, { onProblem: (problem) => problems.push(problem), maxAgeMs })
  const publish = (source: string) =>
    database.db.transaction().execute((tx) => {
      const version = { name: 'test', source, sha256: policySha256(source), publishedBy: 'admin' }
      return publishPolicySet(tx, workspaceId, { ...version, now: new Date() })
    })
  const verdictOf = async (policies: ActivePolicies) =>
    evaluate(await policies.current(workspaceId), 'input', policyInput()).verdict

  test('undefined when the Workspace has no policies', async () =>
    expect(await createPolicies().current(workspaceId)).toBeUndefined())

  test('active version is compiled once', async () => {
    const { id } = await publish(singleRuleDocument('true'))
    const policies = createPolicies()
    const policy = await policies.current(workspaceId)
    expect(policy?.version).toEqual({ id, name: 'test', version: 1, sha256: policySha256(singleRuleDocument('true')) })
    policies.forget(workspaceId)
    expect(await policies.current(workspaceId)).toBe(policy)
  })

  test('version that was read later stays the last valid one when an earlier read ends after it', async () => {
    const [hasRead, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let [isFirst, isUnavailable] = [true, false]
    const db = database.db.withPlugin({
      transformQuery: ({ node }) => {
        if (isUnavailable) throw new Error('the database is unavailable')
        return node
      },
      transformResult: async ({ result }) => {
        if (!isFirst) return result
        isFirst = false
        hasRead.resolve()
        await mayEnd.promise
        return result
      },
    })
    const policies = createPolicies(db)
    const early = policies.current(workspaceId)
    await hasRead.promise
    await publish(singleRuleDocument('true'))
    policies.forget(workspaceId)
    expect(await verdictOf(policies)).toBe('deny')
    mayEnd.resolve()
    expect(await early).toBeUndefined()
    isUnavailable = true
    policies.forget(workspaceId)
    expect(await verdictOf(policies)).toBe('deny')
  })

  test('version that was activated again decides when the database fails, although a later one was loaded before', async () => {
    const { id } = await publish(singleRuleDocument('true'))
    await publish(singleRuleDocument('true', { verdict: 'escalate' }))
    const { state, db } = failingDatabase()
    const policies = createPolicies(db)
    expect(await verdictOf(policies)).toBe('escalate')
    await database.db.transaction().execute((tx) => activatePolicySet(tx, workspaceId, id, 'admin'))
    policies.forget(workspaceId)
    expect(await verdictOf(policies)).toBe('deny')
    state.unavailable = true
    policies.forget(workspaceId)
    expect(await verdictOf(policies)).toBe('deny')
  })

  test('new version decides after forget, and every request has a version', async () => {
    await publish(singleRuleDocument('true'))
    const policies = createPolicies()
    let published = false
    const verdicts = [await verdictOf(policies)]
    const requests = (async () => {
      while (!published || verdicts.at(-1) === 'deny') {
        verdicts.push(await verdictOf(policies))
        await new Promise(setImmediate)
      }
    })()
    await publish(singleRuleDocument('true', { verdict: 'escalate' }))
    policies.forget(workspaceId)
    published = true
    await requests
    expect(new Set(verdicts)).toEqual(new Set(['deny', 'escalate']))
  })

  test('new version decides after the maximum age when forget is not called', async () => {
    await publish(singleRuleDocument('true'))
    const policies = createPolicies(database.db, 20)
    expect(await verdictOf(policies)).toBe('deny')
    await publish(singleRuleDocument('true', { verdict: 'escalate' }))
    await expect.poll(() => verdictOf(policies)).toBe('escalate')
  })

  test('last valid version stays active and the problem is reported once when the new version is not valid', async () => {
    await publish(singleRuleDocument('true'))
    const policies = createPolicies()
    expect(await verdictOf(policies)).toBe('deny')
    await publish(singleRuleDocument('user.gone == ""', { verdict: 'allow' }))
    policies.forget()
    expect(await verdictOf(policies)).toBe('deny')
    expect(String(problems[0]?.cause)).toContain('user has no field gone')
    policies.forget()
    expect(await verdictOf(policies)).toBe('deny')
    expect(problems).toHaveLength(1)
    await publish(singleRuleDocument('true', { verdict: 'escalate' }))
    policies.forget()
    expect(await verdictOf(policies)).toBe('escalate')
  })

  test('current throws when the version is not valid and none was loaded before', async () => {
    await publish(singleRuleDocument('user.gone == ""', { verdict: 'allow' }))
    await expect(createPolicies().current(workspaceId)).rejects.toThrow('is not valid')
  })

  test('last valid version stays active when the database is unavailable; current throws when none was loaded', async () => {
    await publish(singleRuleDocument('true'))
    const { state, db } = failingDatabase()
    const [loaded, unloaded] = [createPolicies(db), createPolicies(db)]
    expect(await verdictOf(loaded)).toBe('deny')
    state.unavailable = true
    loaded.forget()
    expect(await verdictOf(loaded)).toBe('deny')
    expect(problems).toHaveLength(1)
    await expect(unloaded.current(workspaceId)).rejects.toThrow('unavailable')
    state.unavailable = false
    expect(await verdictOf(unloaded)).toBe('deny')
  })
})
