import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabases } from '../../test/support/fresh-database.ts'
import { Starts } from '../../test/support/starts.ts'
import { systemClock } from '../lib/clock.ts'
import { acceptInvitation } from '../operators/accept.ts'
import { listPeople } from '../operators/operator-store.ts'

const NO_DEMO = { GATEHOUSE_DEMO: '0' }

describe.each(freshDatabases())('the first login on $name', ({ open }) => {
  let fresh: FreshDatabase
  let starts: Starts
  beforeAll(async () => {
    fresh = await open()
  })
  afterAll(() => fresh.remove())
  beforeEach(() => {
    starts = new Starts(fresh.database)
  })
  afterEach(async () => {
    await starts.remove()
    await fresh.empty()
  })

  const file = () => join(starts.dataDir, 'first-login.txt')
  const link = (): string => /http\S+\/dashboard\/welcome\?token=\S+/.exec(starts.greeting)?.[0] ?? ''
  const accept = (url: string, more: object = { name: 'Ann', email: 'Ann@example.com' }) => {
    const token = new URL(url).searchParams.get('token') ?? ''
    const deps = { db: fresh.database.db, clock: systemClock, record: async () => {} }
    return acceptInvitation(
      deps,
      { token, password: 'correct horse battery', ...more },
      async (password) => `hash of ${password}`,
    )
  }

  test('is a link that is printed and lies in a private file, the same at each start until it is used', async () => {
    await starts.start(NO_DEMO)
    const first = link()
    expect(first).not.toBe('')
    expect(readFileSync(file(), 'utf8')).toBe(`${first}\n`)
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(starts.logs).not.toContain(new URL(first).searchParams.get('token'))
    await starts.start(NO_DEMO)
    expect(link()).toBe(first)
  })

  test('makes an owner, once; then there is neither link nor file', async () => {
    await starts.start(NO_DEMO)
    const first = link()
    expect(await accept(first, {})).toEqual({ kind: 'missing', param: 'name' })
    expect(await accept(first, { name: 'Ann' })).toEqual({ kind: 'missing', param: 'email' })
    expect(await accept(first)).toEqual({ kind: 'accepted', email: 'ann@example.com' })
    expect(await accept(first)).toEqual({ kind: 'unknown' })
    const { data } = await listPeople(fresh.database.db, { limit: 10 })
    expect(data).toMatchObject([{ name: 'Ann', email: 'ann@example.com', role: 'owner', state: 'active' }])
    await starts.start(NO_DEMO)
    expect(link()).toBe('')
    expect(existsSync(file())).toBe(false)
  })

  test('opens nothing once somebody has come another way', async () => {
    await starts.start(NO_DEMO)
    const late = link()
    const { db } = fresh.database
    const other = { id: 'opr_other', name: 'Bea', email: 'bea@example.com', email_verified: true, role: 'auditor' }
    await db
      .insertInto('operator')
      .values({ ...other, created_at: new Date(), updated_at: new Date() })
      .execute()
    await starts.start(NO_DEMO)
    expect(await db.selectFrom('operator_invitation').selectAll().execute()).toEqual([])
    expect(await accept(late)).toEqual({ kind: 'unknown' })
  })

  test('whose file is lost is replaced: the old link opens nothing', async () => {
    await starts.start(NO_DEMO)
    const lost = link()
    rmSync(file())
    await starts.start(NO_DEMO)
    expect(link()).not.toBe(lost)
    expect(await accept(lost)).toEqual({ kind: 'unknown' })
    expect((await accept(link())).kind).toBe('accepted')
  })

  test('leads to the public URL', async () => {
    await starts.start({ ...NO_DEMO, GATEHOUSE_PUBLIC_URL: 'https://gatehouse.example.com' })
    expect(link()).toMatch(/^https:\/\/gatehouse\.example\.com\/dashboard\/welcome\?token=/)
  })

  test('is not needed where the demo has an owner, whose password is printed', async () => {
    await starts.start()
    const { email, password } = starts.demo().dashboard
    expect(link()).toBe('')
    expect(starts.greeting).toContain(email)
    expect(starts.greeting).toContain(password)
    expect(existsSync(file())).toBe(false)
  })
})
