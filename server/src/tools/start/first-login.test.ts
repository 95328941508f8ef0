import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { freshDatabases } from '../../../test/support/fresh-database.ts'
import { StartFixture } from '../../../test/support/start-fixture.ts'
import { listPeople } from '../../domains/operators/operator-store.ts'
import { acceptInvitation } from '../../domains/operators/sign-in.ts'
import { systemClock } from '../../platform/lib/clock.ts'

const NO_DEMO = { GATEHOUSE_DEMO: '0' }

describe.each(freshDatabases())('first login on $name', async ({ open }) => {
  const starts = await StartFixture.forEachTest(open)

  const file = () => join(starts.dataDir, 'first-login.txt')
  const link = (): string => /http\S+\/dashboard\/welcome\?token=\S+/.exec(starts.greeting)?.[0] ?? ''
  const accept = (url: string, more: object = { name: 'Ann', email: 'Ann@example.com' }) => {
    const token = new URL(url).searchParams.get('token') ?? ''
    const deps = { db: starts.database.db, clock: systemClock, record: async () => {} }
    return acceptInvitation(
      deps,
      { token, password: 'correct horse battery', ...more },
      async (password) => `hash of ${password}`,
    )
  }

  test('first login: every start prints the same link and keeps it in a private file when it is not used', async () => {
    await starts.start(NO_DEMO)
    const first = link()
    expect(first).not.toBe('')
    expect(readFileSync(file(), 'utf8')).toBe(`${first}\n`)
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(starts.logs).not.toContain(new URL(first).searchParams.get('token'))
    await starts.start(NO_DEMO)
    expect(link()).toBe(first)
  })

  test('first login: creates one owner, and later starts have neither link nor file', async () => {
    await starts.start(NO_DEMO)
    const first = link()
    expect(await accept(first, {})).toEqual({ kind: 'missing', param: 'name' })
    expect(await accept(first, { name: 'Ann' })).toEqual({ kind: 'missing', param: 'email' })
    expect(await accept(first)).toEqual({ kind: 'accepted', email: 'ann@example.com' })
    expect(await accept(first)).toEqual({ kind: 'unknown' })
    const { data } = await listPeople(starts.database.db, { limit: 10 })
    expect(data).toMatchObject([{ name: 'Ann', email: 'ann@example.com', roles: { all: 'owner' }, state: 'active' }])
    await starts.start(NO_DEMO)
    expect(link()).toBe('')
    expect(existsSync(file())).toBe(false)
  })

  test('first login: link is invalid when another operator exists', async () => {
    await starts.start(NO_DEMO)
    const late = link()
    const { db } = starts.database
    const other = { id: 'opr_other', name: 'Bea', email: 'bea@example.com', email_verified: true, role: 'auditor' as const }
    await db
      .insertInto('operator')
      .values({ ...other, created_at: new Date(), updated_at: new Date() })
      .execute()
    await starts.start(NO_DEMO)
    expect(await db.selectFrom('operator_invitation').selectAll().execute()).toEqual([])
    expect(await accept(late)).toEqual({ kind: 'unknown' })
  })

  test('first login: a new link replaces the old one when the file is lost', async () => {
    await starts.start(NO_DEMO)
    const lost = link()
    rmSync(file())
    await starts.start(NO_DEMO)
    expect(link()).not.toBe(lost)
    expect(await accept(lost)).toEqual({ kind: 'unknown' })
    expect((await accept(link())).kind).toBe('accepted')
  })

  test('first login: link has the public URL when GATEHOUSE_PUBLIC_URL is set', async () => {
    await starts.start({ ...NO_DEMO, GATEHOUSE_PUBLIC_URL: 'https://gatehouse.example.com' })
    expect(link()).toMatch(/^https:\/\/gatehouse\.example\.com\/dashboard\/welcome\?token=/)
  })

  test('first login: output names the file and not the link when standard error is not a terminal', async () => {
    await starts.start(NO_DEMO, { isTerminal: false })
    const [, token = ''] = /token=(\S+)/.exec(readFileSync(file(), 'utf8')) ?? []
    expect(token).not.toBe('')
    expect(starts.greeting).toContain(file())
    expect(`${starts.greeting}${starts.logs}`).not.toContain(token)
  })

  test('first login: demo output names the file and no secret when standard error is not a terminal', async () => {
    await starts.start({}, { isTerminal: false })
    const { dashboard, applications, admin_token, users } = starts.demo()
    const secrets = [
      dashboard.password,
      admin_token,
      ...applications.flatMap(({ api_key, revoked_api_key }) => [api_key, revoked_api_key]),
    ]
    for (const secret of [...secrets, ...users.flatMap(({ user_token, access_token }) => [user_token, access_token])])
      expect(`${starts.greeting}${starts.logs}`).not.toContain(secret)
    expect(starts.greeting).toContain(dashboard.email)
    expect(starts.greeting).toContain(starts.demoFile)
  })

  describe('with DATABASE_URL', () => {
    const POSTGRESQL = { DATABASE_URL: 'postgres://db.example/acme', GATEHOUSE_SECRET_KEY: 'k'.repeat(40) }

    test('demo: no rows and no files are created when GATEHOUSE_DEMO is not set', async () => {
      await starts.start(POSTGRESQL)
      const { db } = starts.database
      for (const table of ['workspace', 'operator', 'admin_token', 'api_key'] as const)
        expect(await db.selectFrom(table).selectAll().execute()).toEqual([])
      expect(readdirSync(starts.dataDir)).toEqual([])
      expect((await accept(link())).kind).toBe('accepted')
    })

    test('demo: is seeded when GATEHOUSE_DEMO=1', async () => {
      await starts.start({ ...POSTGRESQL, GATEHOUSE_DEMO: '1' })
      expect(await starts.findOperatorName(starts.demo().admin_token)).toBe('demo')
    })

    test('first login: output names the command for the link when standard error is not a terminal', async () => {
      await starts.start(POSTGRESQL, { isTerminal: false })
      expect(starts.greeting).toContain('gatehouse operator first-login')
      expect(starts.greeting).toContain('gatehouse token create')
      expect(link()).toBe('')
      expect(await starts.database.db.selectFrom('operator_invitation').selectAll().execute()).toEqual([])
    })
  })

  test("first login: output has the demo owner's password instead of a link when the demo is seeded", async () => {
    await starts.start()
    const { email, password } = starts.demo().dashboard
    expect(link()).toBe('')
    expect(starts.greeting).toContain(email)
    expect(starts.greeting).toContain(password)
    expect(existsSync(file())).toBe(false)
  })
})
