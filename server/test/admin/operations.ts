import type { FastifyInstance } from 'fastify'
import { withoutReferences } from '../support/openapi.ts'
import type { TestServer } from '../support/server.ts'

/** An operation of the admin API in /openapi.json. */
export interface Operation {
  readonly method: string
  /** With parameters in braces: `/admin/v1/reviews/{id}`. */
  readonly path: string
  readonly operationId: string
  readonly 'x-gatehouse-scope': string | null
  readonly 'x-gatehouse-reach': string
  readonly tags: readonly string[]
  readonly security: readonly object[]
  readonly parameters: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> }
  readonly responses: Readonly<Record<string, { readonly content?: object; readonly description?: string }>>
}

type Documented = Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>

/** Every operation of the admin API in /openapi.json. */
export async function adminOperations({ base }: Pick<TestServer, 'base'>): Promise<Operation[]> {
  const { paths } = withoutReferences((await (await fetch(`${base}/openapi.json`)).json()) as { paths: Documented })
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/admin/v1/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...operation,
        parameters: operation.parameters ?? [],
        method: method.toUpperCase(),
        path,
      })),
    )
}

/** The operation's path with the id of an object that does not exist. */
export const somePath = ({ path }: Pick<Operation, 'path'>): string => path.replace(/\{\w+\}/g, 'app_01h455vb4pex5vsknk084sn02q')

/** Every registered route, such as `GET /admin/v1/reviews/{id}`, from the tree that Fastify prints. */
export function registeredRoutes(app: FastifyInstance): string[] {
  const above: string[] = []
  const routes = app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    // A route with a constraint has a second line.
    .filter((line) => /[├└]/.test(line))
    .flatMap((line) => {
      const [, indent = '', segment = '', methods = ''] = /^(.*?)[├└]── (\S+)(?: \(([^)]*)\))?/.exec(line) ?? []
      above.length = indent.length / 4
      above.push(segment)
      const path = above
        .join('')
        .replace('//', '/')
        .replace(/:(\w+)/g, '{$1}')
      return methods.split(', ').map((method) => `${method} ${path}`)
    })
  return routes.filter((route) => !route.startsWith('HEAD'))
}

export const adminRoutes = (app: FastifyInstance): string[] => registeredRoutes(app).filter((route) => / \/admin\//.test(route))
