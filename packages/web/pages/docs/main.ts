/** The script of the reference. The pages are complete without it; it adds search while typing, copying, one language for all samples, and "try it". */
import { prepareCode } from './code.ts'
import { prepareLanguages } from './languages.ts'
import { prepareSearch } from './search-box.ts'
import { prepareTheme } from './theme-button.ts'
import { prepareTry } from './try-it.ts'
import '../../shared/style.css'
import './docs.css'

prepareTheme()
prepareLanguages()
prepareCode()
prepareSearch()
prepareTry()
