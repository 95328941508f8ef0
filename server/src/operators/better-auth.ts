import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { APIError, isAPIError } from 'better-auth/api'
import { genericOAuth, twoFactor } from 'better-auth/plugins'
import type { Db } from '../db/database.ts'
import { deriveKey } from '../lib/derived-key.ts'
import { newId } from '../lib/id.ts'
import { countAttempt, isFirstCodeUse } from './attempt-store.ts'
import { CLIENT_ADDRESS_HEADER } from './client-address.ts'
import { removeFirstInvitation } from './invitation-store.ts'
import { findClaimedRole, type RoleClaims } from './role-claims.ts'
import { type SignInEventsDeps, signInEvents, WRONG_CODES } from './sign-in-events.ts'
import { applySingleSignOnRole, suspendWithoutRole } from './single-sign-on-role.ts'

const COOKIE_PREFIX = 'gatehouse'
const OIDC_PROVIDER = 'oidc'
const SIGN_IN_PAGE = '/dashboard/sign-in'

const DAY_SECONDS = 86_400
const SESSION_DAYS = 7
const MIN_PASSWORD = 12

export interface BetterAuthDeps extends SignInEventsDeps {
  readonly secretKey: Uint8Array
  readonly publicUrl: string | undefined
  readonly trustedProxies: readonly string[]
  readonly oidc: (RoleClaims & OidcClient) | undefined
  readonly log: Record<'error' | 'warn', (fields: object, text: string) => void>
}

interface OidcClient {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly name: string
  readonly scopes: readonly string[]
}

export type BetterAuth = ReturnType<typeof openBetterAuth>

/** The library that does sign-in, on our tables and by our names. Loaded when somebody signs in: most processes never do. */
export function openBetterAuth(deps: BetterAuthDeps) {
  return betterAuth({
    ...tables(deps.db, validator(deps)),
    appName: 'Gatehouse',
    basePath: '/auth',
    ...(deps.publicUrl !== undefined && { baseURL: deps.publicUrl }),
    secret: deriveKey(deps.secretKey, 'sign-in').toString('base64url'),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: MIN_PASSWORD,
      revokeSessionsOnPasswordReset: true,
    },
    plugins: [
      twoFactor({
        issuer: 'Gatehouse',
        accountLockout: { maxFailedAttempts: WRONG_CODES },
        schema: {
          user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
          twoFactor: {
            modelName: 'operator_second_factor',
            fields: {
              backupCodes: 'backup_codes',
              userId: 'operator_id',
              failedVerificationCount: 'failed_count',
              lockedUntil: 'locked_until',
            },
          },
        },
      }),
      ...(deps.oidc ? [genericOAuth({ config: [oidcProvider(deps.oidc)] })] : []),
      signInEvents(deps),
    ],
    rateLimit: {
      enabled: true,
      customStorage: {
        // The library's own counts until a minute has passed without any attempt.
        consume: async (key, { window, max }) => {
          const { wait } = await countAttempt(deps.db, `address:${key}`, { max, windowMs: window * 1_000 }, deps.clock.now())
          return { allowed: wait === undefined, retryAfter: wait ?? null }
        },
      },
      window: 60,
      max: 120,
      customRules: {
        '/sign-in/*': { window: 60, max: 60 },
        '/two-factor/*': { window: 60, max: 20 },
        '/change-password': { window: 60, max: 10 },
      },
    },
    databaseHooks: hooks(deps),
    advanced: {
      cookiePrefix: COOKIE_PREFIX,
      useSecureCookies: deps.publicUrl?.startsWith('https:') ?? false,
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax' },
      database: { generateId: ({ model }) => newId(model === 'user' ? 'opr' : 'aut'), validateSchema: false },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER], trustedProxies: [...deps.trustedProxies] },
      disableOriginCheck: false,
      disableCSRFCheck: false,
    },
    onAPIError: {
      errorURL: SIGN_IN_PAGE,
      onError: (error) => {
        if (!isAPIError(error)) deps.log.error({ err: error }, 'signing in failed')
      },
    },
    telemetry: { enabled: false },
    // What people do wrong is no fault of the server's, and what they send is not for its log.
    logger: {
      level: 'error',
      log: (_level, text, ...details) => {
        // Its own error is what a stranger's way back makes of itself; all others are faults.
        const err = details.find((detail) => detail instanceof Error && detail.name !== 'BetterAuthError')
        if (err) deps.log.error({ err }, text)
        else deps.log.warn({}, text)
      },
    },
  })
}

const STAMPS = { createdAt: 'created_at', updatedAt: 'updated_at' }

/** No transactions of its own: each of its steps stands for itself, and the embedded database has one connection at a time. */
const tables = (db: Db, validateUserInfo: ValidateUser) =>
  ({
    database: { db, type: 'postgres', transaction: false },
    user: {
      modelName: 'operator',
      fields: { ...STAMPS, emailVerified: 'email_verified' },
      // Nobody is made without one: `validateUserInfo` refuses them in better words.
      additionalFields: {
        role: { type: 'string', required: false },
        suspendedAt: { type: 'date', required: false, input: false, fieldName: 'suspended_at' },
      },
      validateUserInfo,
    },
    session: {
      modelName: 'operator_session',
      fields: {
        ...STAMPS,
        userId: 'operator_id',
        expiresAt: 'expires_at',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
      },
      expiresIn: SESSION_DAYS * DAY_SECONDS,
      disableSessionRefresh: true,
    },
    account: {
      modelName: 'operator_account',
      fields: {
        ...STAMPS,
        userId: 'operator_id',
        accountId: 'account_id',
        providerId: 'provider_id',
        accessToken: 'access_token',
        refreshToken: 'refresh_token',
        idToken: 'id_token',
        accessTokenExpiresAt: 'access_token_expires_at',
        refreshTokenExpiresAt: 'refresh_token_expires_at',
      },
      updateAccountOnSignIn: false,
    },
    verification: { modelName: 'operator_verification', fields: { ...STAMPS, expiresAt: 'expires_at' } },
  }) as const satisfies Partial<BetterAuthOptions>

/** Without a claim that says what people may, only those may come in who have been invited. */
function oidcProvider({ issuer, clientId, clientSecret, name, scopes, ...claims }: RoleClaims & OidcClient) {
  return {
    providerId: OIDC_PROVIDER,
    name,
    discoveryUrl: `${issuer}/.well-known/openid-configuration`,
    requireIdTokenVerification: true,
    clientId,
    clientSecret,
    scopes: [...scopes],
    pkce: true,
    disableSignUp: claims.roleClaim === undefined,
    // Without an ID token the library would ask the userinfo endpoint, but an access token does not say for which client it was
    // issued. An empty subject is refused. An ID token has been verified before this is called.
    accountSubject: ({ tokens, profile }: { tokens: { idToken?: string | undefined }; profile: { sub?: unknown } }) =>
      tokens.idToken ? String(profile.sub ?? '') : '',
    mapProfileToUser: (profile: Record<string, unknown>) => {
      const role = findClaimedRole(profile, claims)
      return role === undefined ? {} : { role }
    },
  }
}

type ValidateUser = NonNullable<NonNullable<BetterAuthOptions['user']>['validateUserInfo']>

/** Where a claim says what people may, its word is followed at each sign-in. */
const validator =
  (deps: BetterAuthDeps): ValidateUser =>
  async ({ user, source }) => {
    const { oidc } = deps
    if (oidc?.roleClaim === undefined || source.method !== 'oauth') return undefined
    const role = findClaimedRole(source.oauth?.profile ?? {}, oidc)
    if (role === undefined) {
      if (source.action !== 'create-user') await suspendWithoutRole(deps, String(user.id))
      return { error: 'no_role', errorDescription: 'Your account has no role here.' }
    }
    if (source.action !== 'create-user') await applySingleSignOnRole(deps, String(user.id), role)
    else if (user.emailVerified !== true)
      return { error: 'email_not_verified', errorDescription: 'Your provider has not verified your address.' }
    return undefined
  }

/** No more is kept of a provider than who somebody is there. */
const hooks = ({ db, clock, record }: BetterAuthDeps): NonNullable<BetterAuthOptions['databaseHooks']> => ({
  user: {
    create: {
      after: async ({ id }) =>
        db.transaction().execute(async (tx) => {
          await removeFirstInvitation(tx)
          await record(tx, { action: 'operator.create', id, fields: ['email', 'name', 'role'], actor: null })
        }),
    },
  },
  account: {
    create: { before: async (account) => ({ data: { ...account, accessToken: null, refreshToken: null, idToken: null } }) },
  },
  session: {
    create: {
      before: async ({ userId }, ctx) => {
        const isCode = ctx?.path === '/two-factor/verify-totp'
        if (isCode && !(await isFirstCodeUse(db, userId, ctx.body.code, clock.now())))
          throw new APIError('UNAUTHORIZED', {
            code: 'INVALID_CODE',
            message: 'This code has been used: sign in again with the next',
          })
      },
    },
  },
})
