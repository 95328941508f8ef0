import { Type } from 'typebox'
import { readCookbook } from '../../../domains/policy/cookbook.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import { inWorkspace } from '../kit/operation.ts'

const TemplateView = Type.Object({
  id: Type.String(),
  object: Type.Literal('policy_template'),
  title: Type.String(),
  category: Type.String(),
  what_it_does: Type.String(),
  when_to_use_it: Type.String(),
  what_users_notice: Type.String(),
  rule_ids: Type.Array(Type.String()),
  tests: Type.Integer({ description: 'Number of test cases in the document.' }),
  source: Type.String({ description: 'A policy document with the rules, their texts and tests.' }),
})

const docs = inWorkspace('GET /policy-templates', 'listPolicyTemplates', 'List the policy cookbook', {
  scope: 'policies:read',
  description: 'The rules of docs/policy-cookbook.md. The list is the same for all Workspaces and has one page.',
  answers: { 200: Type.Object({ object: Type.Literal('policy_cookbook'), templates: Type.Array(TemplateView) }) },
})

export function policyTemplatesRoutes(app: TypedApp): void {
  handle(app, docs, async () => ({
    object: 'policy_cookbook',
    templates: readCookbook().map((template) => viewOf(TemplateView, template)),
  }))
}
