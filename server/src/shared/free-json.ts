import { keepNumbers, parseKeepingNumbers } from '../platform/lib/json-numbers.ts'

/** JSON that is not part of an API. Its numbers stay as they were written, because an application may read `1.10` or `-0` there. */
export const FREE_JSON: ReadonlySet<string> = new Set([
  ...['input', 'arguments', 'input_schema', 'parameters', 'schema', 'metadata', 'extra_content', 'provider_specific_fields'],
])

/** Numbers that the APIs of providers define: they are JavaScript numbers, whatever their form. */
const API_NUMBER = /^(?:created|created_at|logprob|(?:\w+_)?index|\w+_tokens)$/

/** Parses a response of a provider. All numbers but those of the API stay as the provider wrote them. Throws a SyntaxError. */
export const parseResponse = (json: string): unknown => withKeptNumbers(JSON.parse(json), json)

export const withKeptNumbers = <T>(parsed: T, json: string): T => keepNumbers(json, parsed, FREE_JSON, isOwnNumber).value as T

const isOwnNumber = (name: string): boolean => !API_NUMBER.test(name)

/** Parses JSON that belongs to no API: every number stays as it was written. Throws a SyntaxError. */
export const parseFree = (json: string): unknown => parseKeepingNumbers(json).written
