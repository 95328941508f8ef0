import { type Static, Type } from 'typebox'
import { Name, resettable, Timestamp, withStorable } from '../lib/fields.ts'
import { type Checked, checker } from '../lib/schema.ts'
import { type Jwks, JwksSource, jwksProblem } from './jwks.ts'

/** Characters of JSON that all settings together may have; a hundred large RSA keys fit. */
const MAX_SETTINGS = 131_072

/** Which claim of a user token holds what. */
export interface ClaimNames {
  readonly id: string
  readonly role: string
  readonly department: string
  readonly attributes: string
}

export interface WorkspaceSettings {
  /** Who signs user tokens: public keys, or where to read them. null: no user token is accepted. */
  readonly jwks: Jwks | null
  /** `iss` that user tokens must have; null: any. */
  readonly issuer: string | null
  /** `aud` that user tokens must have one of; null: any. */
  readonly audience: string | readonly string[] | null
  readonly claims: ClaimNames
  readonly audit_retention_days: number
  /** How long messages are kept; null: for ever. */
  readonly message_retention_days: number | null
  readonly review: ReviewSettings
}

export interface ReviewSettings {
  /** Whether a hold is approved only by an operator who could not have caused it alone (review/admin/review-independence.ts). */
  readonly four_eyes: boolean
}

export const DEFAULT_WORKSPACE_SETTINGS: WorkspaceSettings = {
  jwks: null,
  issuer: null,
  audience: null,
  claims: { id: 'sub', role: 'role', department: 'department', attributes: 'attributes' },
  audit_retention_days: 400,
  message_retention_days: null,
  review: { four_eyes: false },
}

/** `ws_…`: whose Applications, users, policies and records these are. */
export interface Workspace {
  readonly id: string
  readonly name: string
  readonly settings: WorkspaceSettings
  /** SPKI PEM of the key that signs its audit checkpoints. */
  readonly signingPublicKey: string
  readonly createdAt: Date
}

const Claim = resettable(Name)
const Audience = Type.String({ minLength: 1, maxLength: 500 })

/**
 * Names that are not known are refused: a misspelt `audience` would otherwise open what it was meant to close. null resets to the
 * default; `claims` and `review` are merged field by field.
 */
const SettingsPatch = Type.Object(
  {
    jwks: Type.Optional(Type.Union([JwksSource, Type.Null()])),
    issuer: resettable(Type.String({ minLength: 1, maxLength: 500 })),
    audience: Type.Optional(
      Type.Unsafe<string | string[] | null>({
        type: ['string', 'array', 'null'],
        minLength: 1,
        maxLength: 500,
        items: Audience,
        minItems: 1,
        maxItems: 100,
      }),
    ),
    claims: Type.Optional(
      Type.Unsafe<{ [name in keyof ClaimNames]?: string | null } | null>({
        type: ['object', 'null'],
        properties: { id: Claim, role: Claim, department: Claim, attributes: Claim },
        additionalProperties: false,
      }),
    ),
    audit_retention_days: resettable(Type.Integer({ minimum: 1, maximum: 36_500 })),
    message_retention_days: resettable(Type.Integer({ minimum: 1, maximum: 36_500 })),
    review: Type.Optional(
      Type.Unsafe<{ four_eyes?: boolean | null } | null>({
        type: ['object', 'null'],
        properties: {
          four_eyes: {
            ...resettable(Type.Boolean()),
            description:
              'Whether approval requires an operator with a second role. The admin API can only turn it on; gatehouse.yaml can also turn it off.',
          },
        },
        additionalProperties: false,
      }),
    ),
  },
  { additionalProperties: false },
)

/** Body of `POST /admin/v1/workspaces`. */
export const WorkspaceCreate = Type.Object({ name: Name, settings: Type.Optional(SettingsPatch) })
export type WorkspaceCreate = Static<typeof WorkspaceCreate>

/** Body of `PATCH /admin/v1/workspaces/:id`: what is left out stays. */
export const WorkspacePatch = Type.Object({ name: Type.Optional(Name), settings: Type.Optional(SettingsPatch) })
export type WorkspacePatch = Static<typeof WorkspacePatch>

const createChecker = checker(WorkspaceCreate)
const patchChecker = checker(WorkspacePatch)
export const checkWorkspaceCreate = (body: unknown): Checked<WorkspaceCreate> => sound(createChecker(body))
export const checkWorkspacePatch = (body: unknown): Checked<WorkspacePatch> => sound(patchChecker(body))

function sound<T extends WorkspacePatch>(checked: Checked<T>): Checked<T> {
  const stored = withStorable(checked, 'settings', ({ settings }) => settings, MAX_SETTINGS)
  const jwks = stored.ok ? stored.value.settings?.jwks : undefined
  const problem = jwks && jwksProblem(jwks)
  return problem ? { ok: false, problem: { ...problem, param: `settings.jwks.${problem.param}` } } : stored
}

type Stored = Readonly<Record<string, unknown>>

/** What the table holds after a patch: only what somebody has set. Pure; the patch has been checked. */
export function patchWorkspaceSettings(
  stored: Stored,
  { claims, review, ...plain }: NonNullable<WorkspacePatch['settings']>,
): Stored {
  const changed = {
    ...(claims !== undefined && { claims: claims && without({ ...(stored.claims as object), ...claims }) }),
    ...(review !== undefined && { review: review && without({ ...(stored.review as object), ...review }) }),
  }
  return without({ ...stored, ...plain, ...changed })
}

/** Whether a patch would end the four eyes that a Workspace demands. */
export const turnsFourEyesOff = ({ settings }: Pick<Workspace, 'settings'>, patch: WorkspacePatch): boolean =>
  settings.review.four_eyes &&
  !fillWorkspaceSettings(patchWorkspaceSettings({ ...settings }, patch.settings ?? {})).review.four_eyes

const without = (fields: object): Stored => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

export const fillWorkspaceSettings = ({ claims, review, ...stored }: Stored): WorkspaceSettings => ({
  ...DEFAULT_WORKSPACE_SETTINGS,
  ...stored,
  review: { ...DEFAULT_WORKSPACE_SETTINGS.review, ...(review as object) },
  claims: { ...DEFAULT_WORKSPACE_SETTINGS.claims, ...(claims as object) },
})

const nullable = <T extends 'string' | 'object'>(type: T) =>
  Type.Union([type === 'string' ? Type.String() : Type.Object({}, { additionalProperties: true }), Type.Null()])

export const WorkspaceView = Type.Object({
  id: Type.String(),
  object: Type.Literal('workspace'),
  name: Type.String(),
  settings: Type.Object({
    jwks: nullable('object'),
    issuer: nullable('string'),
    audience: Type.Union([Type.String(), Type.Array(Type.String()), Type.Null()]),
    claims: Type.Object({ id: Type.String(), role: Type.String(), department: Type.String(), attributes: Type.String() }),
    audit_retention_days: Type.Integer(),
    message_retention_days: Type.Union([Type.Integer(), Type.Null()]),
    review: Type.Object({ four_eyes: Type.Boolean() }),
  }),
  signing_public_key: Type.String(),
  created_at: Timestamp,
})

export const workspaceView = (workspace: Workspace) => ({
  id: workspace.id,
  object: 'workspace' as const,
  name: workspace.name,
  settings: workspace.settings,
  signing_public_key: workspace.signingPublicKey,
  created_at: workspace.createdAt.toISOString(),
})
