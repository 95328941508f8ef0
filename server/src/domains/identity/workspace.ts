import { type Static, Type } from 'typebox'
import type { Entity } from '../../platform/db/from-row.ts'
import { Name, resettable, Timestamp, withStorable } from '../../platform/lib/fields.ts'
import { type Checked, checker } from '../../platform/lib/schema.ts'
import { viewOf } from '../../platform/lib/view.ts'
import { type Jwks, JwksSource, jwksProblem } from './jwks.ts'

/** As JSON, in characters: enough for a hundred large RSA keys. */
const MAX_SETTINGS = 131_072

export interface ClaimNames {
  readonly id: string
  readonly role: string
  readonly department: string
  readonly attributes: string
  readonly groups: string
}

export interface WorkspaceSettings {
  /** Keys that verify user tokens, or their URL. null: all user tokens are refused. */
  readonly jwks: Jwks | null
  /** Required `iss` of user tokens; null: every `iss` is accepted. */
  readonly issuer: string | null
  /** Accepted `aud` of user tokens; null: every `aud` is accepted. */
  readonly audience: string | readonly string[] | null
  readonly claims: ClaimNames
  readonly audit_retention_days: number
  /** null: messages are stored without limit. */
  readonly message_retention_days: number | null
  readonly review: {
    /** Whether only an operator who cannot have caused a hold alone can approve it (api/admin/reviews/review-independence.ts). */
    readonly four_eyes: boolean
    readonly target_minutes: number | null
    /** Texts that reviewers insert as comments. */
    readonly reasons: readonly string[]
  }
}

export const DEFAULT_WORKSPACE_SETTINGS: WorkspaceSettings = {
  jwks: null,
  issuer: null,
  audience: null,
  claims: { id: 'sub', role: 'role', department: 'department', attributes: 'attributes', groups: 'groups' },
  audit_retention_days: 400,
  message_retention_days: null,
  review: { four_eyes: false, target_minutes: null, reasons: [] },
}

export interface Workspace extends Entity<'workspace', 'id' | 'name' | 'signing_public_key' | 'created_at'> {
  readonly settings: WorkspaceSettings
}

const Reason = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000-\\u001f]+$' })
const Claim = resettable(Name)
const Audience = Type.String({ minLength: 1, maxLength: 500 })

/** Unknown names are refused: a misspelt `audience` would accept every audience. `claims` and `review` are merged by field. */
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
        properties: { id: Claim, role: Claim, department: Claim, attributes: Claim, groups: Claim },
        additionalProperties: false,
      }),
    ),
    audit_retention_days: resettable(Type.Integer({ minimum: 1, maximum: 36_500 })),
    message_retention_days: resettable(Type.Integer({ minimum: 1, maximum: 36_500 })),
    review: Type.Optional(
      Type.Unsafe<{ four_eyes?: boolean | null; target_minutes?: number | null; reasons?: string[] | null } | null>({
        type: ['object', 'null'],
        properties: {
          four_eyes: {
            ...resettable(Type.Boolean()),
            description:
              'Whether approval requires an operator with a second role. The admin API can only turn it on; gatehouse.yaml can also turn it off.',
          },
          target_minutes: {
            ...resettable(Type.Integer({ minimum: 1, maximum: 43_200 })),
            description: 'Minutes within which review items should be decided. Older pending items are overdue.',
          },
          reasons: {
            ...resettable(Type.Array(Reason, { maxItems: 30 })),
            description: 'Texts that reviewers insert as comments of their decisions.',
          },
        },
        additionalProperties: false,
      }),
    ),
  },
  { title: 'WorkspaceSettingsPatch', additionalProperties: false },
)

export const WorkspaceCreate = Type.Object({ name: Name, settings: Type.Optional(SettingsPatch) })
export type WorkspaceCreate = Static<typeof WorkspaceCreate>

export const WorkspacePatch = Type.Object({ name: Type.Optional(Name), settings: Type.Optional(SettingsPatch) })
export type WorkspacePatch = Static<typeof WorkspacePatch>

const createChecker = checker(WorkspaceCreate)
const patchChecker = checker(WorkspacePatch)
export const checkWorkspaceCreate = (body: unknown): Checked<WorkspaceCreate> => checkSettings(createChecker(body))
export const checkWorkspacePatch = (body: unknown): Checked<WorkspacePatch> => checkSettings(patchChecker(body))

function checkSettings<T extends WorkspacePatch>(checked: Checked<T>): Checked<T> {
  const stored = withStorable(checked, 'settings', ({ settings }) => settings, MAX_SETTINGS)
  const jwks = stored.ok ? stored.value.settings?.jwks : undefined
  const problem = jwks && jwksProblem(jwks)
  return problem ? { ok: false, problem: { ...problem, param: `settings.jwks.${problem.param}` } } : stored
}

/** Only those that were set, so that a later release can change a default. */
type StoredSettings = Readonly<Record<string, unknown>>

export function patchWorkspaceSettings(
  stored: StoredSettings,
  { claims, review, ...plain }: NonNullable<WorkspacePatch['settings']>,
): StoredSettings {
  const changed = {
    ...(claims !== undefined && { claims: claims && withoutNulls({ ...(stored.claims as object), ...claims }) }),
    ...(review !== undefined && { review: review && withoutNulls({ ...(stored.review as object), ...review }) }),
  }
  return withoutNulls({ ...stored, ...plain, ...changed })
}

export const turnsFourEyesOff = ({ settings }: Pick<Workspace, 'settings'>, patch: WorkspacePatch): boolean =>
  settings.review.four_eyes &&
  !fillWorkspaceSettings(patchWorkspaceSettings({ ...settings }, patch.settings ?? {})).review.four_eyes

const withoutNulls = (fields: object): StoredSettings =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

export const fillWorkspaceSettings = ({ claims, review, ...stored }: StoredSettings): WorkspaceSettings => ({
  ...DEFAULT_WORKSPACE_SETTINGS,
  ...stored,
  review: { ...DEFAULT_WORKSPACE_SETTINGS.review, ...(review as object) },
  claims: { ...DEFAULT_WORKSPACE_SETTINGS.claims, ...(claims as object) },
})

export const WorkspaceView = Type.Object({
  id: Type.String(),
  object: Type.Literal('workspace'),
  name: Type.String(),
  settings: Type.Object({
    jwks: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()]),
    issuer: Type.Union([Type.String(), Type.Null()]),
    audience: Type.Union([Type.String(), Type.Array(Type.String()), Type.Null()]),
    claims: Type.Object({
      id: Type.String(),
      role: Type.String(),
      department: Type.String(),
      attributes: Type.String(),
      groups: Type.String(),
    }),
    audit_retention_days: Type.Integer(),
    message_retention_days: Type.Union([Type.Integer(), Type.Null()]),
    review: Type.Object({
      four_eyes: Type.Boolean(),
      target_minutes: Type.Union([Type.Integer(), Type.Null()]),
      reasons: Type.Array(Type.String()),
    }),
  }),
  signing_public_key: Type.String(),
  created_at: Timestamp,
})

export const workspaceView = (workspace: Workspace) => viewOf(WorkspaceView, workspace)
