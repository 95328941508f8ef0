// Names and values for completion. e2e/policies-document.test.ts compares them with the server's.

import { FINDING_TYPES } from '../../ui/finding-labels.ts'

export const DOCUMENT_FIELDS = ['name', 'tests', 'texts', 'rules']

export const RULE_FIELDS = [
  'id',
  'description',
  'at',
  'when',
  'verdict',
  'risk',
  'classification',
  'transforms',
  'directives',
  'hold_expires_in',
  'approvals',
  'on_error',
]

export const CLASSIFICATIONS = ['public', 'internal', 'confidential', 'restricted']
export const RISK_LEVELS = ['low', 'medium', 'high', 'critical']

export const FIELD_VALUES: Readonly<Record<string, readonly string[]>> = {
  at: ['input', 'output', 'retrieve', 'recall', 'remember', 'message'],
  verdict: ['allow', 'escalate', 'require_approval', 'deny'],
  risk: RISK_LEVELS,
  classification: CLASSIFICATIONS,
  on_error: ['deny', 'skip'],
  hold_expires_in: ['10m', '4h', '1d'],
  approvals: ['2'],
}

export const FINDINGS = [...FINDING_TYPES, 'pii', 'secret', 'injection', 'hidden']

export const TRANSFORMS = ['redact', 'mask', 'pseudonymize'].flatMap((kind) => FINDINGS.map((finding) => `${kind}:${finding}`))

export const DIRECTIVES = [
  'route:provider=',
  'route:region=',
  'route:max_cost=',
  'memory:off',
  'memory:audit_only',
  'knowledge:off',
  'max_tokens:',
  'system:',
]

const FIELDS = {
  user: ['id', 'role', 'department', 'roles', 'departments', 'groups', 'attributes', 'verified'],
  application: ['id', 'name', 'settings'],
  request: ['endpoint', 'model', 'session_id', 'stream', 'dry_run', 'message_count', 'tokens', 'max_tokens', 'priced', 'tools'],
  content: ['text', 'plain', 'unread', 'unread_bytes', 'unread_kinds', 'tool_calls', 'classification', 'risk_level', 'findings'],
  response: ['model', 'provider', 'finish_reason', 'tokens'],
  hit: ['classification', 'regulations', 'title', 'collection', 'document', 'updated_at'],
  memory: ['classification', 'regulations', 'scope', 'scope_id', 'kind', 'created_at', 'expires_at'],
  message: ['conversation_id', 'sender', 'group'],
}

export const VARIABLES = [
  ...Object.entries(FIELDS).flatMap(([object, fields]) => fields.map((field) => `${object}.${field}`)),
  'now',
]

export const FUNCTIONS = ['size', 'rank', 'int', 'double', 'string', 'bool', 'timestamp', 'duration', 'has']

export const METHODS = [
  'contains',
  'startsWith',
  'endsWith',
  'matches',
  'size',
  'exists',
  'exists_one',
  'all',
  'filter',
  'map',
  'getHours',
  'getDayOfWeek',
  'getDate',
  'getMonth',
  'getFullYear',
]
