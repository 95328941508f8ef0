import { Badge } from '@mantine/core'

export function EnabledBadge({ enabled }: { readonly enabled: boolean }) {
  return <Badge color={enabled ? 'green' : 'gray'}>{enabled ? 'Enabled' : 'Disabled'}</Badge>
}
