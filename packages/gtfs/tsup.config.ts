// @boundaries-ignore the settings that all packages share are at the top of the repository
import { library } from '../../tsup.shared.ts';

export default library('src/index.ts');
