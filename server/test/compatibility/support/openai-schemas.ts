import { Compile } from 'typebox/schema'
import { parse } from 'yaml'
import type { ForeignRepository } from './foreign-repository.ts'

interface Schema {
  readonly $ref?: string
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly [keyword: string]: unknown
}

const MAX_PROBLEMS = 5

/** The schemas of OpenAI's own description of its API. `problemsOf`: what a value violates, in words; empty if it is valid. */
export function openaiSchemas(repository: ForeignRepository) {
  const { components } = parse(repository.read('openapi.yaml')) as { components: { schemas: Readonly<Record<string, Schema>> } }
  const compiled = new Map<string, ReturnType<typeof Compile>>()
  const compile = (name: string) => {
    const schema = compiled.get(name) ?? Compile(withNullable({ $ref: `#/components/schemas/${name}`, components }) as object)
    compiled.set(name, schema)
    return schema
  }
  const problemsOf = (name: string, value: unknown): readonly string[] => {
    const [, errors] = compile(name).Errors(value)
    return errors
      .slice(0, MAX_PROBLEMS)
      .map(({ instancePath, message, params }) => `${name}${instancePath}: ${message} ${JSON.stringify(params)}`)
  }
  const events = new Map(
    (components.schemas.ResponseStreamEvent?.anyOf ?? []).flatMap(({ $ref = '' }) => {
      const name = $ref.slice($ref.lastIndexOf('/') + 1)
      const type = components.schemas[name]?.properties?.type
      return (type?.enum ?? [type?.const]).map((value) => [value, name] as const)
    }),
  )
  return {
    problemsOf,
    /** As `problemsOf`, by the schema of the event's type. */
    problemsOfEvent: (event: { readonly type: string }): readonly string[] => {
      const name = events.get(event.type)
      return name === undefined ? [`${event.type}: there is no such event`] : problemsOf(name, event)
    },
  }
}

/** `nullable: true` is of an older version of OpenAPI, which the validator does not know. */
function withNullable(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withNullable)
  if (typeof schema !== 'object' || schema === null) return schema
  const { nullable, ...others } = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, withNullable(value)]))
  return nullable === true ? { anyOf: [others, { type: 'null' }] } : nullable === undefined ? others : { ...others, nullable }
}
