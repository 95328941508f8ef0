import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Json = Readonly<Record<string, unknown>>

export interface Operation {
  readonly method: string
  readonly path: string
  readonly operationId?: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly security?: readonly Json[]
  readonly parameters?: readonly Json[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Json>> }
  readonly responses: Readonly<Record<string, Json>>
  readonly 'x-gatehouse-scope'?: string
}

const DOCUMENT: Json & {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Omit<Operation, 'method' | 'path'>>>>>
} = JSON.parse(readFileSync(join(import.meta.dirname, '../../docs/api/openapi.json'), 'utf8'))

export const VERSION = (DOCUMENT.info as { version: string }).version

export const operations: readonly Operation[] = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
)

/** The part that a reference names, or the value itself, with its own description before that of the part. */
export function resolved(value: Json): Json {
  const { $ref, ...others } = value
  if (typeof $ref !== 'string') return value
  const part = $ref
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((found, key) => (found as Json)[key], DOCUMENT) as Json
  return { ...resolved(part), ...others }
}

/** `User` of `#/components/schemas/User`. */
export const nameOf = ({ $ref }: Json): string | undefined =>
  typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : undefined
