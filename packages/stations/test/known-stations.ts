/** Stations as a person knows them: UIC number, beginning of the name, country, degrees, and a code of another system. */
export interface KnownStation {
  readonly uic: string;
  readonly name: string;
  readonly country: string;
  readonly latitude: number;
  readonly longitude: number;
  /** `system:code` */
  readonly code: string | undefined;
}

const LINES = `8020347|München Hbf|DE|48.14|11.56|ibnr:8000261
8033452|Berlin Hbf|DE|52.525|13.37|ibnr:8011160
8011068|Frankfurt (Main) Hbf|DE|50.107|8.663|ibnr:8000105
8001071|Hamburg Hbf|DE|53.553|10.007|ibnr:8002549
8015458|Köln Hbf|DE|50.943|6.959|ibnr:8000207
8029034|Stuttgart Hbf|DE|48.784|9.182|ibnr:8000096
8022193|Nürnberg Hbf|DE|49.446|11.083|ibnr:8000284
8023179|Leipzig Hbf|DE|51.345|12.381|ibnr:8010205
8006050|Dresden Hbf|DE|51.04|13.732|ibnr:8010085
8013552|Hannover Hbf|DE|52.377|9.741|ibnr:8000152
8500010|Basel SBB|CH|47.547|7.59|sbb:8500010
8503000|Zürich HB|CH|47.378|8.54|sloid:ch:1:sloid:3000
8507000|Bern|CH|46.949|7.439|sbb:8507000
8501008|Genève|CH|46.21|6.142|ibnr:8501008
8501120|Lausanne|CH|46.517|6.629|sloid:ch:1:sloid:1120
8505000|Luzern|CH|47.05|8.31|sbb:8505000
8101003|Wien Hbf|AT|48.185|16.376|ibnr:8103000
8101114|Salzburg Hbf|AT|47.813|13.045|ibnr:8100002
8101187|Innsbruck Hbf|AT|47.263|11.401|ibnr:8100108
8101073|Linz|AT|48.29|14.292|ibnr:8100013
8768600|Paris Gare de Lyon|FR|48.844|2.374|uic8:87686006
8727100|Paris Gare du Nord|FR|48.88|2.355|uic8:87271007
8711300|Paris Gare de l’Est|FR|48.877|2.359|uic8:87113001
8739100|Paris Montparnasse|FR|48.841|2.32|uic8:87391003
8738400|Paris St-Lazare|FR|48.876|2.325|uic8:87384008
8754700|Paris Austerlitz|FR|48.842|2.365|uic8:87547000
8772319|Lyon Part-Dieu|FR|45.76|4.86|uic8:87723197
8775100|Marseille St-Charles|FR|43.303|5.38|uic8:87751008
8722326|Lille-Europe|FR|50.639|3.075|uic8:87223263
8758100|Bordeaux St-Jean|FR|44.826|-0.556|uic8:87581009
8721202|Strasbourg|FR|48.585|7.734|uic8:87212027
8748100|Nantes|FR|47.217|-1.542|uic8:87481002
8747100|Rennes|FR|48.103|-1.672|uic8:87471003
8761100|Toulouse Matabiau|FR|43.611|1.454|uic8:87611004
8775605|Nice|FR|43.705|7.262|uic8:87756056
7160000|Madrid Atocha|ES|40.406|-3.69|renfe:60000
7117000|Madrid-Chamartín|ES|40.472|-3.682|renfe:17000
7171801|Barcelona Sants|ES|41.379|2.14|renfe:71801
7151003|Sevilla Santa Justa|ES|37.392|-5.975|renfe:51003
7154413|Málaga|ES|36.711|-4.432|renfe:54413
7104040|Zaragoza Delicias|ES|41.659|-0.911|renfe:04040
8301700|Milano Centrale|IT|45.486|9.204|trenitaliaBff:830001700
8308409|Roma Termini|IT|41.901|12.502|trenitaliaBff:830008409
8309218|Napoli Centrale|IT|40.853|14.273|trenitaliaBff:830009218
8306421|Firenze Santa Maria Novella|IT|43.776|11.248|ntv:SMN
8300219|Torino Porta Nuova|IT|45.062|7.678|trenitaliaBff:830000219
8302593|Venezia Santa Lucia|IT|45.441|12.321|trenitalia:8302593
8305043|Bologna Centrale|IT|44.506|11.343|trenitalia:8305043
8302430|Verona Porta Nuova|IT|45.429|10.982|trenitalia:8302430
7015400|London St-Pancras|GB|51.53|-0.125|atoc:STP
7061210|London Kings Cross|GB|51.531|-0.123|atoc:KGX
7014440|London Euston|GB|51.528|-0.134|atoc:EUS
7030870|London Paddington|GB|51.516|-0.176|atoc:PAD
7029680|Manchester Piccadilly|GB|53.477|-2.23|atoc:MAN
7093280|Edinburgh|GB|55.952|-3.19|atoc:EDB
8814001|Bruxelles-Midi|BE|50.836|4.336|ibnr:8800004
8821006|Antwerpen|BE|51.217|4.421|ibnr:8800007
8841004|Liège-Guillemins|BE|50.624|5.567|ibnr:8800012
8400058|Amsterdam|NL|52.379|4.9|ibnr:8400058
8400530|Rotterdam|NL|51.925|4.469|ibnr:8400530
8400621|Utrecht|NL|52.089|5.11|ibnr:8400621
8600626|København|DK|55.673|12.565|ibnr:8601309
5457076|Praha|CZ|50.083|14.435|ibnr:5400014
5510017|Budapest-Keleti|HU|47.5|19.084|ibnr:5500003
8200100|Luxembourg|LU|49.6|6.134|ibnr:8200100`;

export const knownStations: readonly KnownStation[] = LINES.split('\n').map((line) => {
  const [uic = '', name = '', country = '', latitude, longitude, code] = line.split('|');
  return { uic, name, country, latitude: Number(latitude), longitude: Number(longitude), code };
});
