import { Anchor } from '@mantine/core'
import { Trans } from 'react-i18next'

/** Where to read how to create an assistant, because the dashboard creates none. */
export const AssistantHint = () => (
  <Trans
    ns="conversations"
    i18nKey="assistantHint"
    components={{ guide: <Anchor href="/docs/build/first-assistant" target="_blank" inherit underline="always" /> }}
  />
)
