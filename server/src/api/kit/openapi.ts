import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { ErrorEnvelope } from '../../shared/schemas.ts'
import { withExamples } from './examples/with-examples.ts'

const DESCRIPTION =
  'The API of one server: the gateway for applications, the messaging API for users and the admin API for operators. Every error is `{"error": {"code", "message", …}}`. Every response has the header `x-request-id`, and once the request is recorded `x-audit-id`.'

export async function collectOpenApi(app: FastifyInstance, version: string, publicUrl?: string): Promise<void> {
  app.addSchema(ErrorEnvelope)
  await app.register(swagger, {
    refResolver: { buildLocalReference: (schema, _base, _fragment, index) => String(schema.$id ?? `schema-${index}`) },
    // A path and method is one operation in OpenAPI. Clients do not send the fragment, which distinguishes the two of `POST /v1/messages`.
    transform: ({ schema, url, route }) => ({
      schema,
      url: route.constraints?.client === 'anthropic' ? `${url}#anthropic` : url,
    }),
    transformObject: (document) => withExamples(nameComponents('openapiObject' in document ? document.openapiObject : {})),
    openapi: {
      openapi: '3.1.0',
      ...(publicUrl !== undefined && { servers: [{ url: publicUrl }] }),
      info: { title: 'Gatehouse', version, description: DESCRIPTION, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
      tags: [
        {
          name: 'gateway',
          description:
            'Chats, embeddings, searches and memories of an Application. Each request passes the policies and gets an audit record.',
        },
        { name: 'messaging', description: 'Conversations and messages. Bodies are forms or JSON.' },
        { name: 'admin', description: 'API for operators at `/admin/v1`, with an admin token or a session.' },
        { name: 'server', description: 'Health and metrics.' },
      ],
      components: {
        securitySchemes: {
          applicationKey: { type: 'http', scheme: 'bearer', description: "An Application's API key, `gk_…`." },
          anthropicKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: "An Application's API key, `gk_…`." },
          accessToken: {
            type: 'http',
            scheme: 'bearer',
            description: "A user's access token, `gu_…`, or a JWT that the Workspace's keys verify.",
          },
          adminToken: { type: 'http', scheme: 'bearer', description: 'An admin token, `ga_…`.' },
          operatorSession: { type: 'apiKey', in: 'cookie', name: 'gatehouse.session', description: "The dashboard's session." },
        },
      },
    },
  })
}

export async function serveOpenApi(app: FastifyInstance): Promise<void> {
  let document: string | undefined
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    document ??= JSON.stringify(app.swagger())
    return reply.type('application/json; charset=utf-8').send(document)
  })
}

type Json = Readonly<Record<string, unknown>>

type Components = Map<string, unknown>

const ROOT = '#/components/'
const SCHEMAS = 'schemas/'

/**
 * Moves the named parts of operations to `components`, so that clients get named types. A schema is named by its `title`, else by the
 * word in its field `object`; a list has the name of its items, and another body that of its operation. A parameter is named by the
 * `title` of its schema if that ends with `Parameter`. Descriptions stay at the reference, because they differ from use to use. Throws
 * if two different parts have the same name.
 */
function nameComponents<D extends { readonly paths?: object; readonly components?: object }>(document: D): D {
  const { schemas = {}, ...others } = (document.components ?? {}) as Readonly<Record<string, Json>>
  const components: Components = new Map(Object.entries(schemas).map(([name, schema]) => [SCHEMAS + name, schema]))
  const paths = mapValues((document.paths ?? {}) as Json, (operations) =>
    mapValues(operations as Json, (operation) => moveParts(operation as Json, components)),
  )
  const sections: Record<string, Record<string, unknown>> = {}
  for (const [key, part] of [...components].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const [section = '', name = ''] = key.split('/')
    // A response needs a description of its own, also if each reference has another one.
    const described = section === 'responses' ? { description: 'An error.', ...(part as Json) } : part
    sections[section] = { ...sections[section], [name]: described }
  }
  return { ...document, components: { ...others, ...sections }, paths }
}

function moveParts(operation: Json, components: Components): Json {
  const { operationId, parameters = [], requestBody, responses, ...others } = operation
  const id = operationId === undefined ? undefined : pascalCase(String(operationId))
  const bodyOf = (part: unknown, name: string): unknown => moveSchemas(part, components, id && id + name)
  return {
    ...(operationId !== undefined && { operationId }),
    ...others,
    ...((parameters as readonly Json[]).length > 0 && {
      parameters: (parameters as readonly Json[]).map((parameter) => moveParameter(parameter, components)),
    }),
    ...(requestBody !== undefined && { requestBody: bodyOf(requestBody, 'Request') }),
    responses: mapValues((responses ?? {}) as Json, (response) => moveResponse(bodyOf(response, 'Response') as Json, components)),
  }
}

function moveParameter({ schema, ...others }: Json, components: Components): Json {
  const { title, ...rest } = schema as Json
  if (typeof title !== 'string' || !title.endsWith('Parameter')) return { ...others, schema: moveSchemas(schema, components) }
  return moved(`parameters/${title}`, { ...others, schema: rest }, components)
}

/** All errors share one response. In others the schema has the description of the response a second time. */
function moveResponse(response: Json, components: Components): Json {
  const { description, content = {} } = response as { description?: string; content?: Readonly<Record<string, { schema: Json }>> }
  const schemas = Object.values(content).map(({ schema }) => schema)
  if (schemas.some(({ $ref }) => $ref === `${ROOT}${SCHEMAS}Error`)) return moved('responses/Error', response, components)
  if (!schemas.some((schema) => schema.description === description)) return response
  const withoutDescription = ({ schema: { description: _, ...schema } }: { schema: Json }) => ({ schema })
  return { ...response, content: mapValues(content, (media) => withoutDescription(media as { schema: Json })) }
}

function moveSchemas(value: unknown, components: Components, bodyName?: string): unknown {
  if (Array.isArray(value)) return value.map((item) => moveSchemas(item, components))
  if (!isObject(value)) return value
  const isBody = value.type === 'object' && isObject(value.properties)
  const copy = withEnumerations(mapValues(value, (item) => moveSchemas(item, components, isBody ? undefined : bodyName)))
  const name = nameOf(copy) ?? (isBody ? bodyName : undefined)
  if (name === undefined) return copy
  const { title: _, ...schema } = copy
  return moved(SCHEMAS + name, schema, components)
}

function moved(key: string, { description, ...part }: Json, components: Components): Json {
  const existing = components.get(key)
  if (existing !== undefined && JSON.stringify(existing) !== JSON.stringify(part))
    throw new Error(`Two different ${key.replace('/', ' have the name ')}. Give one of them another title.`)
  components.set(key, part)
  return { $ref: ROOT + key, ...(description !== undefined && { description }) }
}

function nameOf({ title, type, properties }: Json): string | undefined {
  if (typeof title === 'string') return title
  if (type !== 'object' || !isObject(properties)) return undefined
  const { object, data } = properties as Readonly<Record<string, Json | undefined>>
  const [word] = (object?.enum ?? []) as readonly string[]
  if (word !== 'list') return word === undefined ? undefined : pascalCase(word)
  const item = (data?.items as Json | undefined)?.$ref
  return typeof item === 'string' ? `${item.slice(ROOT.length + SCHEMAS.length)}List` : undefined
}

function withEnumerations(schema: Json): Json {
  if (!Array.isArray(schema.anyOf)) return schema
  const isWord = (member: Json) => member.type === 'string' && Array.isArray(member.enum) && Object.keys(member).length === 2
  const words = schema.anyOf.filter(isWord)
  if (words.length < 2) return schema
  const others = schema.anyOf.filter((member) => !isWord(member))
  const enumeration = { type: 'string', enum: words.flatMap((member) => member.enum) }
  if (others.length > 0) return { ...schema, anyOf: [enumeration, ...others] }
  const { anyOf: _, ...rest } = schema
  return { ...rest, ...enumeration }
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const mapValues = (object: Json, map: (value: unknown, key: string) => unknown): Json =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]))

/** `ChatCompletion` of `chat.completion`, `ApiKey` of `api_key`, `ListKeys` of `listKeys`. */
const pascalCase = (text: string): string => text.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())
