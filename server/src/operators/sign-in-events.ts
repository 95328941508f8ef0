import type { AuthContext, BetterAuthPlugin, GenericEndpointContext } from 'better-auth'
import { APIError, createAuthMiddleware, isAPIError } from 'better-auth/api'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { countPasswordAttempt, resetPasswordAttempts } from './attempt-store.ts'
import type { OperatorEvent, RecordOperatorEvent } from './operator-event.ts'
import { countWrongCodes, endSessions, findPersonByEmail, recordSignIn } from './operator-store.ts'

export interface SignInEventsDeps {
  readonly db: Db
  readonly clock: Clock
  readonly record: RecordOperatorEvent
}

/** Wrong codes for one account, over all its sign-ins, before its second factor has to wait. */
export const WRONG_CODES = 10

/** What succeeding does, by path. */
const DOES: ReadonlyMap<string | undefined, OperatorEvent['action']> = new Map([
  ['/sign-in/email', 'operator.sign_in'],
  ['/callback/:id', 'operator.sign_in'],
  ['/two-factor/verify-totp', 'operator.sign_in'],
  ['/two-factor/verify-backup-code', 'operator.sign_in'],
  ['/two-factor/disable', 'operator.disable_second_factor'],
  ['/two-factor/generate-backup-codes', 'operator.renew_backup_codes'],
  ['/change-password', 'operator.change_password'],
])

/**
 * Counts wrong passwords, and records what succeeds. The last of the plugins: the one of the second factor takes back the session
 * that a password alone has opened.
 */
export const signInEvents = (deps: SignInEventsDeps): BetterAuthPlugin => ({
  id: 'gatehouse-events',
  hooks: {
    before: [
      {
        // Not before the library has counted the address: who is refused there leaves no more behind.
        matcher: ({ path }) => path === '/sign-in/email',
        handler: createAuthMiddleware(async ({ body }) => refuseTooMany(deps, body.email)),
      },
    ],
    after: [
      {
        matcher: ({ path }) => DOES.has(path),
        handler: createAuthMiddleware(async (ctx) => {
          const failed = isAPIError(ctx.context.returned) && ctx.context.returned.statusCode >= 400
          if (failed) await noteLock(deps, ctx)
          else await noteSuccess(deps, ctx)
        }),
      },
    ],
  },
})

/** Recorded once in a window, and only of somebody who is there: who asks needs to have no account. */
async function refuseTooMany({ db, clock, record }: SignInEventsDeps, email: string): Promise<void> {
  const { wait, isFirstToWait } = await countPasswordAttempt(db, email, clock.now())
  if (wait === undefined) return
  if (isFirstToWait)
    await db.transaction().execute(async (tx) => {
      const person = await findPersonByEmail(tx, email.trim())
      if (person) await record(tx, { action: 'operator.lock', id: person.id, fields: ['password'], actor: null })
    })
  throw new APIError(
    'TOO_MANY_REQUESTS',
    { message: `Too many attempts: wait ${wait} seconds` },
    { 'x-retry-after': String(wait) },
  )
}

async function noteSuccess({ db, clock, record }: SignInEventsDeps, ctx: GenericEndpointContext): Promise<void> {
  if (ctx.path === '/sign-in/email') await resetPasswordAttempts(db, ctx.body.email)
  const { session: before, newSession } = ctx.context
  const action = actionOf(ctx)
  const who = newSession ?? before
  if (!action || !who) return
  await db.transaction().execute(async (tx) => {
    const { id } = who.user
    if (action === 'operator.sign_in') await recordSignIn(tx, id, clock.now())
    if (action === 'operator.change_password' || action === 'operator.enable_second_factor')
      await endSessions(tx, id, who.session.token)
    await record(tx, { action, id, actor: id })
  })
}

/** Whoever has a session and shows a code turns the second factor on by it, if that makes the session anew. */
function actionOf({ path, context: { session, newSession } }: GenericEndpointContext): OperatorEvent['action'] | undefined {
  const action = DOES.get(path)
  if (action === 'operator.renew_backup_codes') return action
  if (!newSession) return undefined
  return path === '/two-factor/verify-totp' && session ? 'operator.enable_second_factor' : action
}

/** Whoever gives codes knows the password: that their second factor has to wait now is worth a record. */
async function noteLock({ db, record }: SignInEventsDeps, ctx: GenericEndpointContext): Promise<void> {
  const id = await secondFactorOf(ctx)
  if (id === undefined) return
  await db.transaction().execute(async (tx) => {
    if ((await countWrongCodes(tx, id)) === WRONG_CODES)
      await record(tx, { action: 'operator.lock', id, fields: ['second_factor'], actor: null })
  })
}

/** Who is being asked for a code, which was wrong. */
async function secondFactorOf(ctx: GenericEndpointContext): Promise<string | undefined> {
  const { returned, createAuthCookie, secret, internalAdapter } = ctx.context as AuthContext & { returned?: unknown }
  const code = isAPIError(returned) ? returned.body?.code : undefined
  if (code !== 'INVALID_CODE' && code !== 'INVALID_BACKUP_CODE') return undefined
  const challenge = await ctx.getSignedCookie(createAuthCookie('two_factor').name, secret)
  return challenge ? (await internalAdapter.findVerificationValue(challenge))?.value : undefined
}
