import type { Kysely } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testDatabases } from '../../test/support/database.ts'
import { policyInput, singleRuleDocument } from '../../test/support/policies.ts'
import { seedWorkspace } from '../../test/support/seed.ts'
import type { Database } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import { ActivePolicies } from './active-policies.ts'
import { evaluate } from './evaluate.ts'
import { policySha256 } from './policy.ts'
import { publishPolicySet } from './policy-store.ts'

describe.each(testDatabases())('The policies in force on $name', ({ open }) => {
  let database: Database
  let workspaceId: string
  let problems: Error[]

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())
  beforeEach(async () => {
    problems = []
    workspaceId = (await seedWorkspace(database.db)).workspaceId
  })

  /** A database that can be taken away. */
  const fragile = () => {
    const state = { away: false }
    const db = new Proxy(database.db, {
      get(target, name) {
        if (state.away) throw new Error('the database is away')
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    }) as Kysely<Schema>
    return { state, db }
  }
  const library = (db = database.db, maxAgeMs = 60_000) =>
    new ActivePolicies(db, { onProblem: (problem) => problems.push(problem), maxAgeMs })
  const publish = (source: string) =>
    database.db.transaction().execute((tx) =>
      publishPolicySet(tx, workspaceId, {
        name: 'test',
        source,
        sha256: policySha256(source),
        publishedBy: 'admin',
        now: new Date(),
      }),
    )
  const verdict = async (policies: ActivePolicies) =>
    evaluate(await policies.current(workspaceId), 'input', policyInput()).verdict

  test('a Workspace that never published has none, and everything is allowed', async () => {
    expect(await library().current(workspaceId)).toBeUndefined()
  })

  test('the version in force is compiled once, and named', async () => {
    const { id } = await publish(singleRuleDocument('true'))
    const policies = library()
    const policy = await policies.current(workspaceId)
    expect(policy?.version).toEqual({ id, name: 'test', version: 1, sha256: policySha256(singleRuleDocument('true')) })
    policies.forget(workspaceId)
    expect(await policies.current(workspaceId)).toBe(policy)
  })

  test('a new version decides as soon as it is told of, and there is no moment without one', async () => {
    await publish(singleRuleDocument('true'))
    const policies = library()
    let published = false
    const verdicts = [await verdict(policies)]
    const asking = (async () => {
      while (!published || verdicts.at(-1) === 'deny') {
        verdicts.push(await verdict(policies))
        await new Promise(setImmediate)
      }
    })()
    await publish(singleRuleDocument('true', { verdict: 'escalate' }))
    policies.forget(workspaceId)
    published = true
    await asking
    expect(new Set(verdicts)).toEqual(new Set(['deny', 'escalate']))
  })

  test('a new version decides after a while also when nobody tells', async () => {
    await publish(singleRuleDocument('true'))
    const policies = library(database.db, 20)
    expect(await verdict(policies)).toBe('deny')
    await publish(singleRuleDocument('true', { verdict: 'escalate' }))
    await expect.poll(() => verdict(policies)).toBe('escalate')
  })

  test('a set that is not valid any more leaves the last good one in force, and says so', async () => {
    await publish(singleRuleDocument('true'))
    const policies = library()
    expect(await verdict(policies)).toBe('deny')
    await publish(singleRuleDocument('user.gone == ""', { verdict: 'allow' }))
    policies.forget()
    expect(await verdict(policies)).toBe('deny')
    expect(String(problems[0]?.cause)).toContain('user has no field gone')
    policies.forget()
    expect(await verdict(policies)).toBe('deny')
    expect(problems).toHaveLength(1)
    await publish(singleRuleDocument('true', { verdict: 'escalate' }))
    policies.forget()
    expect(await verdict(policies)).toBe('escalate')
  })

  test('a set that is not valid, and no good one before it, lets nothing through', async () => {
    await publish(singleRuleDocument('user.gone == ""', { verdict: 'allow' }))
    await expect(library().current(workspaceId)).rejects.toThrow('is not valid')
  })

  test('a database that is away leaves the last good set in force; where there never was one, nothing passes', async () => {
    await publish(singleRuleDocument('true'))
    const { state, db } = fragile()
    const [warm, cold] = [library(db), library(db)]
    expect(await verdict(warm)).toBe('deny')
    state.away = true
    warm.forget()
    expect(await verdict(warm)).toBe('deny')
    expect(problems).toHaveLength(1)
    await expect(cold.current(workspaceId)).rejects.toThrow('away')
    state.away = false
    expect(await verdict(cold)).toBe('deny')
  })

  test('a Workspace that does not exist has no policies of another', async () => {
    await publish(singleRuleDocument('true'))
    const other = (await seedWorkspace(database.db)).workspaceId
    expect(await library().current(other)).toBeUndefined()
  })
})
