/**
 * One chat message as the gateway carries it. By default `role` is system, user or assistant and `content` a string
 * (gateway-api.md, ChatMessage); an Application's `extensions` open content parts, tools and the developer role.
 * Fields that the gateway does not know travel along untouched.
 */
export interface ChatMessage {
  readonly role: string
  readonly content?: string | readonly ContentPart[] | null
  readonly [field: string]: unknown
}

export interface ContentPart {
  readonly type: string
  readonly text?: string
  readonly [field: string]: unknown
}
