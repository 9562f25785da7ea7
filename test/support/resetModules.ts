/** Set-up of each unit test file: modules load anew, because the file may mock some that an earlier file has loaded. */
import { vi } from 'vitest'

vi.resetModules()
