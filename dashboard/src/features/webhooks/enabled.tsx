import { Badge } from '@mantine/core'

export function Enabled({ enabled }: { readonly enabled: boolean }) {
  return (
    <Badge color={enabled ? 'green' : 'gray'} variant="light" tt="none">
      {enabled ? 'enabled' : 'disabled'}
    </Badge>
  )
}
