import { Badge } from '@mantine/core'

const STYLES: Readonly<Record<string, { readonly color: string; readonly label: string }>> = {
  allow: { color: 'green', label: 'Allowed' },
  escalate: { color: 'grape', label: 'Escalated' },
  require_approval: { color: 'yellow', label: 'Held' },
  deny: { color: 'red', label: 'Denied' },
}

/** Badge with a verdict. */
export function Verdict({ verdict }: { readonly verdict: string | null | undefined }) {
  if (!verdict) return null
  const { color, label } = STYLES[verdict] ?? { color: 'gray', label: verdict }
  return <Badge color={color}>{label}</Badge>
}
