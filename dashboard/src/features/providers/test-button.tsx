import { Button, type ButtonProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { ConnectionTestDialog, useConnectionTest } from './connection-test.tsx'
import type { Provider } from './provider.ts'

interface TestButtonProps extends Pick<ButtonProps, 'variant' | 'size'> {
  readonly provider: Provider
}

/** Tests address, path and key. The models of a provider with a list can then be added. */
export function TestButton({ provider: { id, kind }, ...button }: TestButtonProps) {
  const { t } = useTranslation('providers')
  const test = useConnectionTest(id)
  // A stub has no upstream service.
  if (kind === 'stub') return null
  return (
    <>
      <Button variant="default" size="sm" {...button} aria-label={t('test.title', { id })} onClick={test.start}>
        {t('test.label')}
      </Button>
      <ConnectionTestDialog test={test} />
    </>
  )
}
