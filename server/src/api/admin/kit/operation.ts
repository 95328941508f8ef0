import { type TObject, type TProperties, type TSchema, Type } from 'typebox'
import type { Scope } from '../../../shared/scope.ts'
import { type Api, type Documented, type Inputs, type RouteDocs, route, type Target } from '../../kit/route.ts'
import { checkJson } from '../../kit/validation.ts'

const ADMIN: Api = {
  tag: 'admin',
  security: [{ adminToken: [] }, { operatorSession: [] }],
  errors: {
    400: 'VALIDATION_ERROR, with the field in `param`',
    401: 'AUTH_INVALID_KEY or AUTH_KEY_REVOKED: neither a valid admin token nor a session',
    403: 'FORBIDDEN: the operator does not have the scope in `x-gatehouse-scope`, where `x-gatehouse-reach` says',
    503: 'UNAVAILABLE',
  },
  bodyErrors: { 413: 'PAYLOAD_TOO_LARGE', 415: 'UNSUPPORTED_MEDIA_TYPE' },
  validatorCompiler: checkJson,
}

interface Operation extends Omit<RouteDocs, 'operationId' | 'summary'> {
  /** The scope that the operator needs (shared/operator.ts); null: none, every operator is allowed. */
  readonly scope: Scope | null
}

/**
 * Where the operator needs the scope. `server`: in all Workspaces. `workspace`: in the Workspace of the request. `path`: in the Workspace
 * with the id in the path. `any`: in at least one Workspace; the handler leaves out the others.
 */
export type Reach = 'server' | 'workspace' | 'path' | 'any'

export const SCOPE = 'x-gatehouse-scope'

export const REACH = 'x-gatehouse-reach'

function describe(target: Target, operationId: string, summary: string, given: Operation & { readonly reach: Reach }) {
  const { scope, reach, ...docs } = given
  const { schema, ...rest } = route(ADMIN, target, { operationId, summary, query: {}, ...docs })
  return { ...rest, schema: { ...schema, [SCOPE]: scope, [REACH]: reach } }
}

/** An operation outside a Workspace, without its handler. `reach`: by default the whole server. */
export const operation = <const T extends Target, D extends Operation & { readonly reach?: Exclude<Reach, 'workspace'> }>(
  target: T,
  operationId: string,
  summary: string,
  docs: D,
) => describe(target, operationId, summary, { reach: 'server', ...docs }) as unknown as Documented<Inputs<T, D>>

const WORKSPACE = 'Id or name of the Workspace. Default: the first that you can enter.'
const WORKSPACE_QUERY = {
  workspace: Type.Optional(Type.String({ title: 'WorkspaceParameter', maxLength: 200, description: WORKSPACE })),
}
const WORKSPACE_HEADERS = Type.Object({
  'x-gatehouse-workspace': Type.Optional(
    Type.String({
      title: 'WorkspaceHeaderParameter',
      maxLength: 200,
      description: `${WORKSPACE} The query parameter \`workspace\` takes precedence.`,
    }),
  ),
})

/** An operation within a Workspace that the request names (operator-access.ts), without its handler. */
export function inWorkspace<const T extends Target, D extends Operation, Q extends TProperties = Record<never, never>>(
  target: T,
  operationId: string,
  summary: string,
  docs: D & { readonly query?: Q },
) {
  const query = { ...docs.query, ...WORKSPACE_QUERY }
  const errors = { 404: 'NOT_FOUND: the Workspace', ...docs.errors }
  const reach = 'workspace' as const
  const described = describe(target, operationId, summary, { ...docs, reach, query, errors, headers: WORKSPACE_HEADERS })
  return described as unknown as Documented<
    Omit<Inputs<T, D>, 'querystring'> & { readonly querystring: TObject<Q & typeof WORKSPACE_QUERY> }
  >
}

/** The operation with a body of several content types. Its handler or validator checks the body. */
export const withContentTypes = <O extends { readonly schema: object }>(
  operation: O,
  content: Readonly<Record<string, { readonly schema: TSchema }>>,
) => ({ ...operation, schema: { ...(operation.schema as O['schema']), body: { content } } })
