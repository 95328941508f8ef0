import { type TObject, type TProperties, Type } from 'typebox'
import type { Scope } from '../../domain/scope.ts'
import { type Api, type Inputs, type RouteDocs, routeSchema } from '../../http/route.ts'

const INVALID = 'VALIDATION_ERROR, with the field in `param`'

const ADMIN: Api = {
  tag: 'admin',
  security: [{ adminToken: [] }, { operatorSession: [] }],
  errors: {
    400: INVALID,
    401: 'AUTH_INVALID_KEY or AUTH_KEY_REVOKED: neither a valid admin token nor a session',
    403: 'FORBIDDEN: the operator does not have the scope in `x-gatehouse-scope`',
    503: 'UNAVAILABLE',
  },
  bodyErrors: { 413: 'PAYLOAD_TOO_LARGE', 415: 'UNSUPPORTED_MEDIA_TYPE' },
}

/** Documentation of an operation, without its id and summary. */
interface Operation extends Omit<RouteDocs, 'operationId' | 'summary'> {
  /** The scope that the operator needs (domain/roles.ts); null: none, every operator is allowed. */
  readonly scope: Scope | null
}

/** The schema property with the operation's scope, which a hook enforces. */
export const SCOPE = 'x-gatehouse-scope'

function describe(operationId: string, summary: string, { scope, ...docs }: Operation) {
  return { ...routeSchema(ADMIN, { operationId, summary, ...docs }), [SCOPE]: scope }
}
type Described = Omit<ReturnType<typeof describe>, 'params' | 'headers' | 'body' | 'querystring'>

/** Schema of an operation on the whole server. */
export const operation = <D extends Operation>(operationId: string, summary: string, docs: D) =>
  describe(operationId, summary, docs) as Described & Inputs<D>

const WORKSPACE = "Id or name of the Workspace. Default: the server's first."
const WORKSPACE_QUERY = { workspace: Type.Optional(Type.String({ maxLength: 200, description: WORKSPACE })) }
const WORKSPACE_HEADERS = Type.Object({
  'x-gatehouse-workspace': Type.Optional(
    Type.String({ maxLength: 200, description: `${WORKSPACE} The query parameter \`workspace\` takes precedence.` }),
  ),
})

/** Schema of an operation within a Workspace that the request names (choose-workspace.ts). */
export function inWorkspace<D extends Operation, Q extends TProperties>(
  operationId: string,
  summary: string,
  docs: D & { readonly query: Q },
) {
  const query = { ...docs.query, ...WORKSPACE_QUERY }
  const errors = { 404: 'NOT_FOUND: the Workspace', ...docs.errors }
  const described = describe(operationId, summary, { ...docs, query, errors, headers: WORKSPACE_HEADERS })
  return described as unknown as Described &
    Omit<Inputs<D>, 'querystring'> & { readonly querystring: TObject<Q & typeof WORKSPACE_QUERY> }
}
