import { Badge } from '@mantine/core'

export function EnabledBadge({ enabled }: { readonly enabled: boolean }) {
  return (
    <Badge color={enabled ? 'green' : 'gray'} variant="light" tt="none">
      {enabled ? 'Enabled' : 'Disabled'}
    </Badge>
  )
}
