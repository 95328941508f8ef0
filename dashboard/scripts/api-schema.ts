// Prints the types of the API from docs/api/openapi.json: src/api/schema.d.ts for the dashboard, and with the argument `client` the file
// clients/typescript/src/schema.ts (scripts/generate-files.mjs writes both). The dashboard's have no error responses, because they share
// one envelope (src/api/api-error.ts).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'

function withoutErrorResponses(document: OpenAPI3): OpenAPI3 {
  for (const path of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(path)) {
      const { responses } = operation as { responses?: Record<string, unknown> }
      for (const status of Object.keys(responses ?? {})) if (status >= '400') delete responses?.[status]
    }
  }
  return document
}

/** Types need no examples. */
const withoutExamples = (key: string, value: unknown): unknown => (key === 'example' ? undefined : value)

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../docs/api/openapi.json'), 'utf8'), withoutExamples)
const options = { emptyObjectsUnknown: true, defaultNonNullable: false, rootTypes: true, rootTypesNoSchemaPrefix: true }
const isForClients = process.argv[2] === 'client'
process.stdout.write(astToString(await openapiTS(isForClients ? document : withoutErrorResponses(document), options)))
