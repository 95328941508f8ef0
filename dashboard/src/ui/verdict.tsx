import { Badge } from '@mantine/core'

const LOOKS: Readonly<Record<string, { readonly color: string; readonly label: string }>> = {
  allow: { color: 'green', label: 'allowed' },
  escalate: { color: 'grape', label: 'escalated' },
  require_approval: { color: 'yellow', label: 'held' },
  deny: { color: 'red', label: 'denied' },
}

/** What was decided, in a word that colour only repeats. */
export function Verdict({ verdict }: { readonly verdict: string | null | undefined }) {
  if (!verdict) return null
  const { color, label } = LOOKS[verdict] ?? { color: 'gray', label: verdict }
  return (
    <Badge color={color} variant="light" tt="none">
      {label}
    </Badge>
  )
}
