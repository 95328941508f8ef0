import { type TProperties, Type } from 'typebox'
import { type Checked, checker } from '../../platform/lib/schema.ts'

/** Any text: better-auth checks it and responds with its own messages. */
const Text = Type.String({ maxLength: 1_000, pattern: '^[^\\u0000\\p{Cs}]*$' })
const exactFields = (fields: TProperties) => checker(Type.Object(fields, { additionalProperties: false }))
const checkEmpty = exactFields({})
const checkPassword = exactFields({ password: Text })
const checkCode = exactFields({ code: Text })

export interface BetterAuthPath {
  readonly path: string
  readonly check: (body: unknown) => Checked<object>
  readonly fixedFields?: object
}

/** The paths of better-auth that are open. All others, such as sign-up and linking accounts, do not exist. */
const PASSWORD_PATHS: readonly BetterAuthPath[] = [
  { path: '/sign-in/email', check: exactFields({ email: Text, password: Text }) },
  { path: '/sign-out', check: checkEmpty },
  { path: '/revoke-other-sessions', check: checkEmpty },
  {
    path: '/change-password',
    check: exactFields({ currentPassword: Text, newPassword: Text }),
    fixedFields: { revokeOtherSessions: true },
  },
  { path: '/two-factor/enable', check: checkPassword },
  { path: '/two-factor/disable', check: checkPassword },
  { path: '/two-factor/verify-totp', check: checkCode },
  { path: '/two-factor/verify-backup-code', check: checkCode },
  { path: '/two-factor/generate-backup-codes', check: checkPassword },
]

/** Open if an identity provider is configured. It does not accept an identity token from the client. */
const SINGLE_SIGN_ON_PATH: BetterAuthPath = {
  path: '/sign-in/social',
  check: exactFields({
    provider: Type.Literal('oidc'),
    callbackURL: Type.Optional(Text),
    errorCallbackURL: Type.Optional(Text),
    disableRedirect: Type.Optional(Type.Boolean()),
  }),
}

export const openPaths = (hasIdentityProvider: boolean): readonly BetterAuthPath[] =>
  hasIdentityProvider ? [...PASSWORD_PATHS, SINGLE_SIGN_ON_PATH] : PASSWORD_PATHS

export const CALLBACK_PATH = '/callback/oidc'
export const checkCallbackQuery = checker(Type.Record(Type.String(), Type.String()))

/** Routes whose URL better-auth sends to the identity provider. */
export const SINGLE_SIGN_ON_URLS: ReadonlySet<string> = new Set([`/auth${SINGLE_SIGN_ON_PATH.path}`, `/auth${CALLBACK_PATH}`])

/** Request header with which better-auth gets the client's address. sign-in-routes.ts overwrites the client's own header. */
export const CLIENT_ADDRESS_HEADER = 'x-gatehouse-peer'
