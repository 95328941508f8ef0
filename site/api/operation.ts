import { type Json, type Operation, resolved } from './document.ts'
import { fieldsOf, fieldTable, typeOf } from './fields.ts'

/** The variables of the section *Build*, by security scheme. */
const CREDENTIALS: Readonly<Record<string, { readonly words: string; readonly variable?: string }>> = {
  applicationKey: { words: "an Application's key", variable: 'GATEHOUSE_KEY' },
  anthropicKey: { words: 'the key in `x-api-key`' },
  accessToken: { words: "a user's access token", variable: 'GATEHOUSE_TOKEN' },
  adminToken: { words: 'an admin token', variable: 'GATEHOUSE_ADMIN' },
  operatorSession: { words: 'a session of the dashboard' },
}

/** One operation: its address, parameters, body and responses, with examples. */
export function operationSection(operation: Operation): string {
  const { method, path, operationId = path.slice(1), summary, description } = operation
  const [address, fragment] = path.split('#')
  const parts = [
    `## ${summary} {#${operationId}}`,
    `\`${method} ${address}\`${fragment ? ' with `anthropic-version`' : ''}`,
    escaped(description ?? ''),
    credentialLine(operation),
    parameterTable(operation),
    bodyParts(operation),
    `**Example request**\n\n\`\`\`sh\n${curlOf(operation)}\n\`\`\``,
    responseParts(operation),
    errorTable(operation),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

const escaped = (text: string): string => text.replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;')

function credentialLine({ security = [], 'x-gatehouse-scope': scope }: Operation): string {
  const words = security.flatMap((scheme) => Object.keys(scheme)).map((name) => CREDENTIALS[name]?.words ?? name)
  const last = words.at(-1)
  if (last === undefined) return 'Credential: none.'
  const list = words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${last}` : last
  return `Credential: ${list}.${scope ? ` Scope: \`${scope}\`.` : ''}`
}

function parameterTable({ parameters = [] }: Operation): string {
  const rows = parameters.map(resolved).map(({ name, in: place, required, schema, description }) => ({
    name: String(name),
    type: typeOf(schema as Json),
    isRequired: required === true && place !== 'path',
    description: `In the ${place}. ${String(description ?? resolved(schema as Json).description ?? '')}`,
  }))
  return rows.length === 0 ? '' : `**Parameters**\n\n${fieldTable(rows, { hasRequired: true })}`
}

function bodyParts({ requestBody }: Operation): string {
  const [media] = Object.values(requestBody?.content ?? {})
  if (media === undefined) return ''
  const types = Object.keys(requestBody?.content ?? {}).map((type) => `\`${type}\``)
  const table = fieldTable(fieldsOf(media.schema as Json), { hasRequired: true })
  return [`**Body** (${types.join(', ')})`, table].filter((part) => part !== '').join('\n\n')
}

function responseParts({ responses }: Operation): string {
  const successful = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  return successful.map(([status, response]) => responsePart(status, resolved(response))).join('\n\n')
}

function responsePart(status: string, { description = '', content = {} }: Json): string {
  const bodies = Object.entries(content as Readonly<Record<string, Json>>)
  const examples = bodies.map(([type, { example }]) => {
    const isText = typeof example === 'string'
    return `\`\`\`${isText ? 'text' : 'json'}${bodies.length > 1 ? ` [${type}]` : ''}\n${isText ? example : JSON.stringify(example, null, 2)}\n\`\`\``
  })
  const shown = examples.length > 1 ? ['::: code-group', ...examples, ':::'] : examples
  const [[, media] = []] = bodies
  const table = media ? fieldTable(fieldsOf(media.schema as Json), { hasRequired: false }) : ''
  return [`**Response ${status}**: ${escaped(String(description))}`, ...shown, details(table)]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** The fields of a response, closed at first: readers look at the example. */
const details = (table: string): string =>
  table === '' ? '' : `<details><summary>Fields of the response</summary>\n\n${table}\n\n</details>`

function errorTable({ responses }: Operation): string {
  const rows = Object.entries(responses).filter(([status]) => status >= '4' && status < '6')
  const lines = rows.map(([status, { description }]) => `| ${status} | ${escaped(String(description ?? ''))} |`)
  return lines.length === 0 ? '' : ['| error | code |', '|---|---|', ...lines].join('\n')
}

/** A command of the shell with the example as its body. */
function curlOf({ method, path, security = [], parameters = [], requestBody }: Operation): string {
  const [address = ''] = path.split('#')
  const query = parameters
    .map(resolved)
    .filter(({ in: place, required }) => place === 'query' && required === true)
    .map(({ name }) => `${name}=…`)
  const url = `$GATEHOUSE_URL${address.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)}${query.length > 0 ? `?${query.join('&')}` : ''}`
  const scheme = security.flatMap((each) => Object.keys(each)).find((name) => CREDENTIALS[name]?.variable)
  const variable = CREDENTIALS[scheme ?? '']?.variable
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"${url}"`,
    ...(variable ? [`-H "Authorization: Bearer $${variable}"`] : []),
    ...(path.includes('#anthropic') ? ["-H 'anthropic-version: 2023-06-01'"] : []),
    ...bodyOptions(requestBody),
  ]
  return lines.join(' \\\n  ')
}

function bodyOptions(body: Operation['requestBody']): readonly string[] {
  const content = body?.content ?? {}
  const json = content['application/json']
  if (json)
    return ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(json.example, null, 2).replaceAll("'", "'\\''")}'`]
  return content['multipart/form-data'] ? ['-F file=@returns.pdf'] : []
}
