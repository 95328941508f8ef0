import { type PolicyTemplate, readCookbook } from '../server/src/domains/policy/cookbook.ts'

/** docs/policy-cookbook.md: every template with its explanation and its rules. */
export function cookbookPage(): string {
  const templates = readCookbook()
  const categories = [...new Set(templates.map(({ category }) => category))]
  const sections = categories.map((category) => {
    const entries = templates.filter((template) => template.category === category)
    return `## ${category}\n\n${entries.map(entryOf).join('\n')}`
  })
  return `# Policy cookbook

Generated from \`examples/policies/cookbook\`. ${templates.length} rules to start from. The dashboard adds them to a draft (Policies, Add from template). Each file is a policy
document with tests: \`gatehouse policy test examples/policies/cookbook/block-credentials.yaml\`. [policies.md](policies.md) describes the language.

${sections.join('\n')}`
}

const entryOf = ({ id, title, whatItDoes, whenToUseIt, whatUsersNotice, source }: PolicyTemplate): string => `### ${title}

- **What it does.** ${whatItDoes}
- **When to use it.** ${whenToUseIt}
- **What users notice.** ${whatUsersNotice}

\`\`\`yaml
${source.replace(/^(?:#.*\n)+name: .*\n\n/, '').replace(/\s*\ntests:\n[\s\S]*$/, '')}
\`\`\`

With its tests: [${id}.yaml](../examples/policies/cookbook/${id}.yaml)
`
