// @boundaries-ignore the settings that all packages share are at the top of the repository
import { library } from '../../tsup.shared.ts';

// Workers load the modules of the cases by URL, so each is a file of its own.
export default library('src/index.ts', 'src/modules/*.ts');
