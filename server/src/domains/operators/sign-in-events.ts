import type { AuthContext, BetterAuthPlugin, GenericEndpointContext } from 'better-auth'
import { APIError, createAuthMiddleware, isAPIError } from 'better-auth/api'
import { countPasswordAttempt, resetPasswordAttempts } from './attempt-store.ts'
import type { OperatorEvent, OperatorEventDeps } from './operator-event.ts'
import { countWrongCodes, endSessions, findPersonByEmail, recordSignIn } from './operator-store.ts'

/** Wrong codes of an account, in all its sign-ins, until its second factor is locked. */
export const MAX_WRONG_CODES = 10

const ACTIONS: ReadonlyMap<string | undefined, OperatorEvent['action']> = new Map([
  ['/sign-in/email', 'operator.sign_in'],
  ['/callback/:id', 'operator.sign_in'],
  ['/two-factor/verify-totp', 'operator.sign_in'],
  ['/two-factor/verify-backup-code', 'operator.sign_in'],
  ['/two-factor/disable', 'operator.disable_second_factor'],
  ['/two-factor/generate-backup-codes', 'operator.renew_backup_codes'],
  ['/change-password', 'operator.change_password'],
])

/** Limits wrong passwords and records events. Must be the last plugin: the second factor first deletes the session of the password. */
export const signInEvents = (deps: OperatorEventDeps): BetterAuthPlugin => ({
  id: 'gatehouse-events',
  hooks: {
    before: [
      {
        // Runs after the library's limit per address, so that attempts refused by it are not counted here.
        matcher: ({ path }) => path === '/sign-in/email',
        handler: createAuthMiddleware(async ({ body }) => refuseTooManyPasswords(deps, body.email)),
      },
    ],
    after: [
      {
        matcher: ({ path }) => ACTIONS.has(path),
        handler: createAuthMiddleware(async (ctx) => {
          const failed = isAPIError(ctx.context.returned) && ctx.context.returned.statusCode >= 400
          if (failed) await recordLock(deps, ctx)
          else await recordSuccess(deps, ctx)
        }),
      },
    ],
  },
})

/** Throws a 429 after too many wrong passwords. Recorded once in a window, and only for existing accounts (docs/decisions/0020-operators.md). */
async function refuseTooManyPasswords({ db, clock, record }: OperatorEventDeps, email: string): Promise<void> {
  const { waitSeconds, isFirstRefused } = await countPasswordAttempt(db, email, clock.now())
  if (waitSeconds === undefined) return
  if (isFirstRefused)
    await db.transaction().execute(async (tx) => {
      const person = await findPersonByEmail(tx, email.trim())
      if (person) await record(tx, { action: 'operator.lock', id: person.id, fields: ['password'], actor: null })
    })
  throw new APIError(
    'TOO_MANY_REQUESTS',
    { message: `Too many attempts. Try again in ${waitSeconds} seconds` },
    { 'x-retry-after': String(waitSeconds) },
  )
}

async function recordSuccess({ db, clock, record }: OperatorEventDeps, ctx: GenericEndpointContext): Promise<void> {
  if (ctx.path === '/sign-in/email') await resetPasswordAttempts(db, ctx.body.email)
  const action = actionOf(ctx)
  const current = ctx.context.newSession ?? ctx.context.session
  if (!action || !current) return
  await db.transaction().execute(async (tx) => {
    const { id } = current.user
    if (action === 'operator.sign_in') await recordSignIn(tx, id, clock.now())
    if (action === 'operator.change_password' || action === 'operator.enable_second_factor')
      await endSessions(tx, id, current.session.token)
    await record(tx, { action, id, actor: id })
  })
}

/** A code with an existing session enables the second factor, if it creates a new session. */
function actionOf({ path, context: { session, newSession } }: GenericEndpointContext): OperatorEvent['action'] | undefined {
  const action = ACTIONS.get(path)
  if (action === 'operator.renew_backup_codes') return action
  if (!newSession) return undefined
  return path === '/two-factor/verify-totp' && session ? 'operator.enable_second_factor' : action
}

/** Records that the second factor is locked: the client knew the password. */
async function recordLock({ db, record }: OperatorEventDeps, ctx: GenericEndpointContext): Promise<void> {
  const id = await operatorOfWrongCode(ctx)
  if (id === undefined) return
  await db.transaction().execute(async (tx) => {
    if ((await countWrongCodes(tx, id)) === MAX_WRONG_CODES)
      await record(tx, { action: 'operator.lock', id, fields: ['second_factor'], actor: null })
  })
}

async function operatorOfWrongCode(ctx: GenericEndpointContext): Promise<string | undefined> {
  const { returned, createAuthCookie, secret, internalAdapter } = ctx.context as AuthContext & { returned?: unknown }
  const code = isAPIError(returned) ? returned.body?.code : undefined
  if (code !== 'INVALID_CODE' && code !== 'INVALID_BACKUP_CODE') return undefined
  const challenge = await ctx.getSignedCookie(createAuthCookie('two_factor').name, secret)
  return challenge ? (await internalAdapter.findVerificationValue(challenge))?.value : undefined
}
