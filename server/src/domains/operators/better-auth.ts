import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { APIError, isAPIError } from 'better-auth/api'
import { genericOAuth, twoFactor } from 'better-auth/plugins'
import { newId } from '../../platform/lib/id.ts'
import type { SecretKeys } from '../../platform/lib/secret-box.ts'
import { countAttempt, isFirstCodeUse } from './attempt-store.ts'
import { CLIENT_ADDRESS_HEADER } from './better-auth-paths.ts'
import { betterAuthTables, TWO_FACTOR_SCHEMA, type ValidateUser } from './better-auth-tables.ts'
import type { OperatorEventDeps } from './operator-event.ts'
import {
  decodeClaims,
  encodeClaims,
  type FindWorkspaceId,
  findClaimedRoles,
  isVerified,
  type RoleClaims,
  resolveClaims,
} from './role-claims.ts'
import { signInSecrets } from './second-factors.ts'
import { MAX_WRONG_CODES, signInEvents } from './sign-in-events.ts'
import { applySingleSignOnRoles, completeRoles, suspendWithoutRole } from './single-sign-on-role.ts'

export interface BetterAuthDeps extends OperatorEventDeps {
  readonly secrets: SecretKeys
  readonly publicUrl: string | undefined
  readonly trustedProxies: readonly string[]
  readonly findWorkspaceId: FindWorkspaceId
  readonly oidc: (RoleClaims & OidcClient) | undefined
  /** Default: scrypt, which takes about 60 ms of CPU time for each password. */
  readonly passwords: PasswordHashing | undefined
  readonly log: Record<'error' | 'warn' | 'info', (fields: object, text: string) => void>
}

export interface PasswordHashing {
  hash(password: string): Promise<string>
  verify(given: { readonly hash: string; readonly password: string }): Promise<boolean>
}

interface OidcClient {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly verifiedClaim: string
}

export type BetterAuth = ReturnType<typeof openBetterAuth>

export function openBetterAuth(deps: BetterAuthDeps) {
  const secrets = signInSecrets(deps.secrets)
  const [current] = secrets
  return betterAuth({
    ...betterAuthTables(deps.db, createUserValidator(deps)),
    appName: 'Gatehouse',
    basePath: '/auth',
    ...(deps.publicUrl !== undefined && { baseURL: deps.publicUrl }),
    secrets,
    // Otherwise the library would take BETTER_AUTH_SECRET of the environment for values without a version.
    ...(current && { secret: current.value }),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: 12,
      revokeSessionsOnPasswordReset: true,
      ...(deps.passwords && { password: deps.passwords }),
    },
    plugins: [
      twoFactor({ issuer: 'Gatehouse', accountLockout: { maxFailedAttempts: MAX_WRONG_CODES }, schema: TWO_FACTOR_SCHEMA }),
      ...(deps.oidc ? [genericOAuth({ config: [oidcProvider(deps.oidc)] })] : []),
      signInEvents(deps),
    ],
    rateLimit: rateLimitByAddress(deps),
    databaseHooks: databaseHooks(deps),
    advanced: {
      cookiePrefix: 'gatehouse',
      useSecureCookies: deps.publicUrl?.startsWith('https:') ?? false,
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax' },
      database: { generateId: ({ model }) => newId(model === 'user' ? 'opr' : 'aut'), validateSchema: false },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER], trustedProxies: [...deps.trustedProxies] },
      disableOriginCheck: false,
      disableCSRFCheck: false,
    },
    onAPIError: {
      errorURL: '/dashboard/sign-in',
      onError: (error) => {
        if (!isAPIError(error)) deps.log.error({ err: error }, 'sign-in failed')
      },
    },
    telemetry: { enabled: false },
    logger: serverFailureLogger(deps),
  })
}

/** The library's own window would restart with every attempt. */
const rateLimitByAddress = ({ db, clock }: BetterAuthDeps): NonNullable<BetterAuthOptions['rateLimit']> => ({
  enabled: true,
  customStorage: {
    consume: async (key, { window, max }) => {
      const { waitSeconds } = await countAttempt(db, `address:${key}`, { max, windowMs: window * 1_000 }, clock.now())
      return { allowed: waitSeconds === undefined, retryAfter: waitSeconds ?? null }
    },
  },
  window: 60,
  max: 120,
  customRules: {
    '/sign-in/*': { window: 60, max: 60 },
    '/two-factor/*': { window: 60, max: 20 },
    '/change-password': { window: 60, max: 10 },
  },
})

/** Logs failures of the server as errors. Request data and errors of clients are not logged. */
const serverFailureLogger = ({ log }: BetterAuthDeps): NonNullable<BetterAuthOptions['logger']> => ({
  level: 'error',
  log: (_level, text, ...details) => {
    // A BetterAuthError is caused by the client, for example by an invalid callback.
    const err = details.find((detail) => detail instanceof Error && detail.name !== 'BetterAuthError')
    if (err) log.error({ err }, text)
    else log.warn({}, text)
  },
})

/** Without a role claim only invited operators can sign in. */
function oidcProvider({ issuer, clientId, clientSecret, name, scopes, verifiedClaim, ...claims }: RoleClaims & OidcClient) {
  return {
    providerId: 'oidc',
    name,
    discoveryUrl: `${issuer}/.well-known/openid-configuration`,
    requireIdTokenVerification: true,
    clientId,
    clientSecret,
    scopes: [...scopes],
    pkce: true,
    disableSignUp: claims.roleClaim === undefined,
    // Without an ID token the library would ask the userinfo endpoint, but an access token does not name its client. An empty
    // subject is refused. The library has verified the ID token before.
    accountSubject: ({ tokens, profile }: { tokens: { idToken?: string | undefined }; profile: { sub?: unknown } }) =>
      tokens.idToken ? String(profile.sub ?? '') : '',
    mapProfileToUser: (profile: Record<string, unknown>) => {
      const claimed = findClaimedRoles(profile, claims)
      const emailVerified = isVerified(profile, verifiedClaim)
      return { emailVerified, ...(claimed.length > 0 && { role: encodeClaims(claimed) }) }
    },
  }
}

/** With a role claim, applies its roles at each sign-in and refuses operators without a role. */
const createUserValidator =
  (deps: BetterAuthDeps): ValidateUser =>
  async ({ user, source }) => {
    const { oidc } = deps
    if (oidc?.roleClaim === undefined || source.method !== 'oauth') return undefined
    const claims = findClaimedRoles(source.oauth?.profile ?? {}, oidc)
    const roles = await resolveClaims(deps.db, claims, deps.findWorkspaceId)
    if (roles.all === null && roles.workspaces.size === 0) {
      if (source.action !== 'create-user') await suspendWithoutRole(deps, String(user.id))
      return { error: 'no_role', errorDescription: 'Your account has no role in Gatehouse. Ask an owner for a role.' }
    }
    if (source.action !== 'create-user') await applySingleSignOnRoles(deps, String(user.id), roles)
    else if (user.emailVerified !== true)
      return {
        error: 'email_not_verified',
        errorDescription: 'Your identity provider has not verified your email address. Verify it there, then sign in again.',
      }
    return undefined
  }

/** Stores the roles of created operators, removes the identity provider's tokens, and refuses used codes. */
const databaseHooks = (deps: BetterAuthDeps): NonNullable<BetterAuthOptions['databaseHooks']> => ({
  user: {
    create: {
      after: async ({ id, role }) =>
        completeRoles(deps, id, await resolveClaims(deps.db, decodeClaims(role), deps.findWorkspaceId)),
    },
  },
  account: {
    create: { before: async (account) => ({ data: { ...account, accessToken: null, refreshToken: null, idToken: null } }) },
  },
  session: {
    create: {
      before: async ({ userId }, ctx) => {
        const isCode = ctx?.path === '/two-factor/verify-totp'
        if (isCode && !(await isFirstCodeUse(deps.db, userId, ctx.body.code, deps.clock.now())))
          throw new APIError('UNAUTHORIZED', {
            code: 'INVALID_CODE',
            message: 'This code has already been used. Sign in again with the next code',
          })
      },
    },
  },
})
